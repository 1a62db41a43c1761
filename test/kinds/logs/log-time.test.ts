/** Times of log lines sort as text, whatever node stamped them. */
import { expect } from 'chai'
import { secondOf, sortableTime, timeOfNanoseconds } from '../../../kinds/logs/log-time.ts'

describe('The time of a log line', () => {
  const times: [string, string][] = [
    ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000000000Z'],
    ['2026-11-21T10:00:00.5Z', '2026-11-21T10:00:00.500000000Z'],
    ['2026-11-21T10:00:00.123456789Z', '2026-11-21T10:00:00.123456789Z'],
    ['2026-11-21T01:00:00.000000001+02:00', '2026-11-20T23:00:00.000000001Z'],
    ['2026-11-21T10:00:00.123-05:30', '2026-11-21T15:30:00.123000000Z'],
    ['no time', 'no time'],
  ]
  for (const [text, sortable] of times)
    it(`${text} is ${sortable}`, () => expect(sortableTime(text)).to.equal(sortable))

  it('is read from nanoseconds, and asked for by its second', () => {
    expect(timeOfNanoseconds(1_795_255_200_000_000_042n)).to.equal('2026-11-21T10:00:00.000000042Z')
    expect(secondOf('2026-11-21T10:00:00.999999999Z')).to.equal('2026-11-21T10:00:00Z')
  })
})
