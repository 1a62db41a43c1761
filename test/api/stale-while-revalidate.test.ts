/** A value of a slow upstream: cached, requested by one call at a time, and never waited for long. */
import { expect } from 'chai'
import { staleWhileRevalidate } from '../../api/views/stale-while-revalidate.ts'
import { silentLog } from '../../cluster/objects/log.ts'

describe('a value that is stale while it is revalidated', () => {
  /** An upstream whose answers the test gives by hand. */
  const upstream = () => {
    const asked: PromiseWithResolvers<number | undefined>[] = []
    let now = 0
    const read = () => {
      const answer = Promise.withResolvers<number | undefined>()
      asked.push(answer)
      return answer.promise
    }
    return {
      asked,
      value: staleWhileRevalidate(read, { clock: () => now, log: silentLog }),
      pass: (ms: number) => (now += ms),
    }
  }

  it('is asked for once for all readers and cached', async () => {
    const { asked, value } = upstream()
    const both = [value(), value()]
    asked[0]?.resolve(7)
    expect(await Promise.all(both)).to.deep.equal([7, 7])
    expect(await value()).to.equal(7)
    expect(asked).to.have.length(1)
  })

  it('is answered from the cache while it is read again', async () => {
    const { asked, value, pass } = upstream()
    const first = value()
    asked[0]?.resolve(7)
    await first
    pass(16_000)
    expect(await value()).to.equal(7)
    expect(asked).to.have.length(2)
    asked[1]?.resolve(8)
    await asked[1]?.promise
    await Promise.resolve()
    expect(await value()).to.equal(8)
  })

  it('is not waited for when the upstream does not answer', async () => {
    const { asked, value } = upstream()
    expect(await value()).to.equal(undefined)
    asked[0]?.resolve(7)
  })

  it('is not asked for again for a while after a failure', async () => {
    const { asked, value } = upstream()
    const first = value()
    asked[0]?.reject(new Error('away'))
    expect(await first).to.equal(undefined)
    expect(await value()).to.equal(undefined)
    expect(asked).to.have.length(1)
  })
})
