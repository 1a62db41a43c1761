/** The cluster's time, derived from its answers. */
import { expect } from 'chai'
import { createClusterClock } from '../../../cluster/http/clock.ts'

const minute = 60_000
const noon = Date.parse('2026-01-01T12:00:00.500Z')
const dateOf = (ms: number): string => new Date(ms).toUTCString()

describe('the clock of the cluster', () => {
  /** A machine whose clock is ahead by so much, and the differences that were reported to it. */
  const machine = (aheadMs: number) => {
    const reported: number[] = []
    const own = () => noon + aheadMs
    const clock = createClusterClock(own, (ahead) => reported.push(Math.round(ahead / minute)))
    return {
      own,
      clock,
      reported,
      observe: (cluster: number, tookMs = 20) => clock.saw(dateOf(cluster), own() - tookMs, own()),
    }
  }

  it('is the own one as long as no answer says otherwise', () => {
    const { clock, observe, reported } = machine(0)
    expect(clock.now()).to.equal(noon)
    observe(noon)
    expect(clock.now()).to.equal(noon)
    expect(reported).to.deep.equal([])
  })

  for (const ahead of [15, -15])
    it(`is right to a second on a machine whose clock is off by ${ahead} minutes, which is logged once`, () => {
      const { clock, observe, reported } = machine(ahead * minute)
      observe(noon)
      observe(noon)
      expect(clock.now()).to.be.within(noon - 1_000, noon + 1_000)
      expect(Math.round(clock.aheadMs / minute)).to.equal(ahead)
      expect(reported).to.deep.equal([ahead])
    })

  it('does not take the time that an answer took for a difference', () => {
    const { clock, observe, reported } = machine(0)
    observe(noon - 8_000, 10_000)
    expect(clock.now()).to.equal(noon)
    expect(reported).to.deep.equal([])
  })

  it('logs when the two clocks agree again', () => {
    let own = noon + 15 * minute
    const reported: number[] = []
    const clock = createClusterClock(
      () => own,
      (ahead) => reported.push(Math.round(ahead / minute)),
    )
    clock.saw(dateOf(noon), own, own)
    own = noon
    clock.saw(dateOf(noon), own, own)
    expect(reported).to.deep.equal([15, 0])
    expect(clock.now()).to.be.within(noon - 1_000, noon + 1_000)
  })

  for (const date of [undefined, '', 'yesterday'])
    it(`takes no time from an answer with the date ${String(date)}`, () => {
      const { clock, own } = machine(0)
      clock.saw(date, own(), own())
      expect(clock.now()).to.equal(noon)
    })
})
