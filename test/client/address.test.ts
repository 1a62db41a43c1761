/** When two addresses are the same, and which texts are not addresses. */
import { expect } from 'chai'
import { normalizeAddress, sameAddress } from '../../client/address.ts'

const same: [string, string][] = [
  ['https://svc.example.com', 'https://svc.example.com/'],
  ['https://svc.example.com', 'https://svc.example.com:443'],
  ['http://svc.example.com:80/', 'http://SVC.example.com'],
  ['https://example.com/platform', 'https://example.com/platform//'],
]
const different: [string, string][] = [
  ['https://svc.example.com', 'http://svc.example.com'],
  ['https://svc.example.com', 'https://svc.example.org'],
  ['https://svc.example.com', 'https://svc.example.com:8443'],
  ['https://example.com/one', 'https://example.com/two'],
  ['https://example.com', 'https://example.com.evil.example'],
]

describe('addresses', () => {
  for (const [one, other] of same) it(`${one} is ${other}`, () => expect(sameAddress(one, other)).to.equal(true))
  for (const [one, other] of different)
    it(`${one} is not ${other}`, () => expect(sameAddress(one, other)).to.equal(false))
  for (const text of ['', 'svc.example.com', 'ftp://example.com', 'file:///etc/passwd']) {
    it(`refuses "${text}"`, () => expect(() => normalizeAddress(text)).to.throw('is not an address'))
  }
  it('refuses a password in an address without repeating it', () => {
    expect(() => normalizeAddress('https://me:hunter2@example.com'))
      .to.throw()
      .with.property('message')
      .not.include('hunter2')
  })
})
