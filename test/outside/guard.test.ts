/** The classes of addresses, and which of them a connection may go to. */
import { expect } from 'chai'
import { type Reach, reachOf } from '../../outside/addresses.ts'
import { createGuard } from '../../outside/guard.ts'

const addresses: Readonly<Record<Reach, readonly string[]>> = {
  public: [
    '1.1.1.1',
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.255.255',
    '192.169.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ],
  private: [
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '::1',
    'fc00::1',
    'fd12:3456::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::a00:1',
  ],
  reserved: [
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '169.254.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '100.100.100.200',
    '168.63.129.16',
    '::',
    '::7f00:1',
    '::ffff:169.254.169.254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'fd00:ec2::254',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '100::1',
    '4000::1',
    'no address',
    '',
  ],
}

describe('Addresses to connect to', () => {
  for (const [reach, list] of Object.entries(addresses)) {
    for (const address of list) {
      it(`${address === '' ? 'nothing' : address} is ${reach}`, () => {
        expect(reachOf(address)).to.equal(reach)
      })
    }
  }
})

describe('A guard', () => {
  it("the system's own resolver is asked", async () => {
    const found = await createGuard({ allowPrivate: false }).resolve('localhost')
    expect(new Set(found.map(reachOf))).to.deep.equal(new Set(['private']))
  })

  it('lets through the private addresses it is made for, and none that are reserved', () => {
    const guard = createGuard({ allowPrivate: (address) => address.startsWith('10.') })
    expect(['10.1.2.3', '192.168.1.1', '127.0.0.1', '169.254.169.254', '8.8.8.8'].filter(guard.allows)).to.deep.equal([
      '10.1.2.3',
      '8.8.8.8',
    ])
    expect(createGuard({ allowPrivate: () => true }).allows('169.254.169.254')).to.equal(false)
  })
})
