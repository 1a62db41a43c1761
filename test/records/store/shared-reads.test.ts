/** Reads that are asked for at the same moment. */
import { expect } from 'chai'
import { sharedReads } from '../../../records/store/shared-reads.ts'

describe('reads that callers of one process share', () => {
  /** Each read is answered by what was written when it began, once it is released. */
  const world = () => {
    const read: (readonly string[])[] = []
    const free: ((error?: Error) => void)[] = []
    let written = 0
    const ask = sharedReads(async (questions: readonly string[]) => {
      const seen = written
      read.push(questions)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      free.push((error) => (error === undefined ? resolve() : reject(error)))
      await promise
      return seen
    })
    return { ask, read, free: (at: number, error?: Error) => free[at]?.(error), write: () => (written += 1) }
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  it('is one for each that comes alone', async () => {
    const { ask, read, free } = world()
    const first = ask('key', 'a')
    free(0)
    await first
    const second = ask('key', 'b')
    free(1)
    await second
    expect(read).to.deep.equal([['a'], ['b']])
  })

  it('is one for all that come while another is under way, and begins after they came', async () => {
    const { ask, read, free, write } = world()
    const first = ask('key', 'a')
    write()
    const later = [ask('key', 'b'), ask('key', 'c')]
    free(0)
    expect(await first).to.equal(0)
    await turn()
    free(1)
    expect(await Promise.all(later)).to.deep.equal([1, 1])
    expect(read).to.deep.equal([['a'], ['b', 'c']])
  })

  it('is another for another key, and does not wait', () => {
    const { ask, read } = world()
    for (const key of ['one', 'other']) void ask(key, key)
    expect(read).to.deep.equal([['one'], ['other']])
  })

  it('fails for those that share it, and not for those that come after it', async () => {
    const { ask, free } = world()
    const failing = ask('key', 'a')
    const later = ask('key', 'b')
    free(0, new Error('unreachable'))
    expect(await failing.catch((error: Error) => error.message)).to.equal('unreachable')
    await turn()
    free(1)
    expect(await later).to.equal(0)
  })
})
