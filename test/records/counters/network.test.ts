/** Which addresses count as one caller, and which as one network. */
import { expect } from 'chai'
import { callerAt, networkOf } from '../../../records/counters/network.ts'

describe('an address', () => {
  for (const [address, caller, network] of [
    ['203.0.113.7', '203.0.113.7/32', '203.0.113.0/24'],
    ['::ffff:203.0.113.7', '203.0.113.7/32', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['fe80::1%eth0', 'fe80::/64', 'fe80::/48'],
    ['::1', '::/64', '::/48'],
    ['no address', 'no address', 'no address'],
    ['', '', ''],
  ] as const) {
    it(`${address === '' ? 'that is not known' : address} counts as ${caller || 'itself'}`, () => {
      expect([callerAt(address), networkOf(address)]).to.deep.equal([caller, network])
    })
  }
})
