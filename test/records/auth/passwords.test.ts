/** Hashing of passwords: correct, and bounded in cost. */
import { expect } from 'chai'
import { passwordHashes } from '../../../contract/limits.ts'
import { Problem } from '../../../contract/problem.ts'
import { createPasswords, decoyHash } from '../../../records/auth/passwords.ts'

describe('passwords', () => {
  const passwords = createPasswords()
  after(() => passwords.close())

  it('fit their own hash and no other', async () => {
    const hash = await passwords.hash('correct-horse-battery')
    expect(hash).to.match(/^scrypt\$32768\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    expect(await passwords.verify('correct-horse-battery', hash)).to.equal(true)
    expect(await passwords.verify('correct-horse-batterz', hash)).to.equal(false)
    expect(await passwords.verify('', decoyHash())).to.equal(false)
    expect(await passwords.verify('x', 'md5$nonsense')).to.equal(false)
  })

  it('are hashed by two threads, a few more wait, and the rest is refused at once', async function () {
    this.timeout(60_000)
    const places = passwordHashes.atOnce + passwordHashes.waiting
    const many = await Promise.allSettled(Array.from({ length: places + 10 }, () => passwords.verify('x', decoyHash())))
    const refused = many.filter((each) => each.status === 'rejected')
    expect(refused).to.have.length(10)
    for (const { reason } of refused) expect(reason).to.be.instanceOf(Problem).and.include({ code: 'rate_limited' })
    expect(passwords.busy).to.equal(false)
  })

  it('go on after one that cannot be hashed', async () => {
    const failed = await passwords.verify('x', 'scrypt$3$8$1$AAAA$AAAA').catch((error: unknown) => String(error))
    expect(failed).to.include('could not be hashed')
    expect(await passwords.verify('x', decoyHash())).to.equal(false)
  })
})
