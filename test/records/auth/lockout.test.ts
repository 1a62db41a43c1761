/** How often a password may be tried, per user name and per address. */
import { expect } from 'chai'
import { Problem, refusals } from '../../../contract/problem.ts'
import { createLockout } from '../../../records/auth/lockout.ts'

describe('trying passwords', () => {
  const many = async (count: number, attempt: (n: number) => { username: string; address: string }) => {
    const lockout = createLockout()
    const admissions: string[] = []
    for (let n = 0; n < count; n += 1) admissions.push(await lockout.admit(attempt(n)))
    return { lockout, admissions }
  }

  it('ends for an address after twenty failures in a minute, whatever the names, and for no other address', async () => {
    const { lockout, admissions } = await many(20, (n) => ({ username: `name-${n}`, address: '2001:db8::1' }))
    expect(admissions.every((each) => each === 'admitted')).to.equal(true)
    for (const address of ['2001:db8::1', '2001:db8::ffff']) {
      const refused = await lockout.admit({ username: 'ann', address }).catch((error: unknown) => error)
      expect(refused, `${address}, of the same /64`).to.be.instanceOf(Problem)
      expect(refused).to.include({ code: 'rate_limited', message: refusals.tooManySignIns })
      expect((refused as Problem).retryAfterSeconds, 'the rest of the minute').to.be.within(1, 60)
    }
    expect(await lockout.admit({ username: 'ann', address: '2001:db8:0:1::1' }), 'another /64').to.equal('admitted')
  })

  it('is not counted against an address when the password was right', async () => {
    const lockout = createLockout()
    for (let n = 0; n < 50; n += 1) {
      const attempt = { username: 'ann', address: '203.0.113.1' }
      expect(await lockout.admit(attempt), String(n)).to.equal('admitted')
      await lockout.succeeded(attempt)
    }
  })

  it('leaves each network one try at a name that failed fifty times anywhere, so that no user is locked out from elsewhere', async () => {
    const { lockout, admissions } = await many(50, (n) => ({ username: 'admin', address: `198.51.${n}.1` }))
    expect(admissions.every((each) => each === 'admitted')).to.equal(true)
    const own = { username: 'admin', address: '203.0.113.1' }
    expect(await lockout.admit(own)).to.equal('admitted')
    expect(await lockout.admit({ ...own, address: '203.0.113.2' }), 'the same network').to.equal('locked')
    expect(await lockout.admit({ ...own, address: '198.51.7.1' }), 'a network that failed before').to.equal('admitted')
    expect(await lockout.admit({ username: 'vera', address: '203.0.113.2' }), 'another name').to.equal('admitted')
    await lockout.succeeded(own)
    expect(await lockout.admit(own), 'after a right password').to.equal('admitted')
  })
})
