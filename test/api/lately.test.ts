/** A value of a slow neighbour: remembered, asked for once at a time, and never waited for long. */
import { expect } from 'chai'
import { lately } from '../../api/views/lately.ts'
import { silentLog } from '../../cluster/log.ts'

describe('what a slow neighbour said lately', () => {
  /** A neighbour whose answers the test gives by hand. */
  const neighbour = () => {
    const asked: PromiseWithResolvers<number | undefined>[] = []
    let now = 0
    const read = () => {
      const answer = Promise.withResolvers<number | undefined>()
      asked.push(answer)
      return answer.promise
    }
    return { asked, value: lately(read, { clock: () => now, log: silentLog }), pass: (ms: number) => (now += ms) }
  }

  it('is asked once for all readers and remembered', async () => {
    const { asked, value } = neighbour()
    const both = [value(), value()]
    asked[0]?.resolve(7)
    expect(await Promise.all(both)).to.deep.equal([7, 7])
    expect(await value()).to.equal(7)
    expect(asked).to.have.length(1)
  })

  it('is answered from memory while it is asked anew', async () => {
    const { asked, value, pass } = neighbour()
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

  it('is not waited for when it says nothing', async () => {
    const { asked, value } = neighbour()
    expect(await value()).to.equal(undefined)
    asked[0]?.resolve(7)
  })

  it('is left alone for a while after it failed', async () => {
    const { asked, value } = neighbour()
    const first = value()
    asked[0]?.reject(new Error('away'))
    expect(await first).to.equal(undefined)
    expect(await value()).to.equal(undefined)
    expect(asked).to.have.length(1)
  })
})
