/** A limit on concurrent work and on waiting work, and which work is admitted first. */
import { expect } from 'chai'
import { refusals } from '../../../contract/problem.ts'
import { createAtMost } from '../../../records/counters/at-most.ts'

describe('work of which only so much is done at once', () => {
  const done: string[] = []
  const begun: string[] = []
  let free: (() => void)[] = []
  beforeEach(() => {
    done.length = 0
    begun.length = 0
    free = []
  })

  const queue = (ahead = 1) => {
    const most = createAtMost({ atOnce: 1, waiting: 2, ahead })
    const ask = (name: string, isAhead = false): Promise<unknown> =>
      most
        .run(async () => {
          begun.push(name)
          await new Promise<void>((resolve) => free.push(resolve))
          done.push(name)
        }, isAhead)
        .catch((error: Error) => error.message)
    return { most, ask }
  }
  const finish = async (): Promise<void> => {
    while (free.length > 0) {
      free.splice(0).forEach((end) => end())
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const tooMany = refusals.tooManySignIns

  it('is done in turn, and what comes on top of those who wait is refused without beginning', async () => {
    const { most, ask } = queue()
    const all = [ask('first'), ask('second'), ask('third')]
    expect(most.full).to.equal(true)
    expect(await ask('fourth')).to.equal(tooMany)
    expect(begun).to.deep.equal(['first'])
    await finish()
    await Promise.all(all)
    expect(done).to.deep.equal(['first', 'second', 'third'])
    expect(most.full).to.equal(false)
  })

  it('lets who comes ahead in while others are refused, before those who wait, and in the end refuses them, too', async () => {
    const { ask } = queue()
    const all = [ask('first'), ask('second'), ask('third'), ask('known', true)]
    expect(await ask('fourth')).to.equal(tooMany)
    expect(await ask('known too', true)).to.equal(tooMany)
    await finish()
    await Promise.all(all)
    expect(done).to.deep.equal(['first', 'known', 'second', 'third'])
  })

  it('goes on after work that failed', async () => {
    const { most } = queue()
    expect(await most.run(() => Promise.reject(new Error('no'))).catch((error: Error) => error.message)).to.equal('no')
    expect(await most.run(() => Promise.resolve('yes'))).to.equal('yes')
  })
})
