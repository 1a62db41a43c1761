/** The times of schedules, against a cron library that others keep, and the dates that are easily got wrong. */
import { Cron } from 'croner'
import { expect } from 'chai'
import fc from 'fast-check'
import { isSchedule } from '../../../contract/fields/cron.ts'
import { calendarsOf, everRuns, nextTimes, timesBetween } from '../../../kinds/apps/calendar.ts'

const shown = (times: readonly number[]) => times.map((time) => new Date(time).toISOString().slice(0, 16))
const next = (schedule: string, after: string, count: number) => shown(nextTimes(schedule, Date.parse(after), count))

/** One part of a field: a number, a range or all, each with a step or without. */
const part = (min: number, max: number) =>
  fc
    .tuple(
      fc.constantFrom('all', 'one', 'range'),
      fc.integer({ min, max }),
      fc.integer({ min, max }),
      fc.option(fc.integer({ min: 1, max })),
    )
    .map(([form, a, b, step]) => {
      const range = form === 'all' ? '*' : form === 'one' ? `${a}` : `${Math.min(a, b)}-${Math.max(a, b)}`
      return step === null ? range : `${range}/${step}`
    })

const field = (min: number, max: number) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant('*') },
    fc.array(part(min, max), { minLength: 1, maxLength: 3 }).map((parts) => parts.join()),
  )

const schedules = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7))
  // Sunday as 7 with a step is Sunday; the library takes it for nothing.
  .filter(([, , , , weekday]) => !/\b7\//.test(weekday))
  .map((fields) => fields.join(' '))

/**
 * Around leap days, the ends of years, of a leap day's century and of months, and the hours in which the clocks of New
 * York and Berlin are set forward and back.
 */
const moments = fc.oneof(
  fc.constantFrom('2027-12-31T23:58:00Z', '2028-02-28T23:59:00Z', '2028-02-29T23:59:30Z', '2096-03-01T00:00:00Z'),
  fc.constantFrom('2027-03-14T06:59:00Z', '2027-11-07T05:59:30Z', '2027-03-28T00:59:00Z', '2027-10-31T00:59:00Z'),
  fc
    .date({ min: new Date('2026-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
    .map((d) => d.toISOString()),
)

describe('the times of a schedule', () => {
  it('are those that another cron library finds', () => {
    fc.assert(
      fc.property(schedules, moments, (schedule, after) => {
        expect(isSchedule(schedule), schedule).to.equal(true)
        const expected = new Cron(schedule, { mode: '5-part', timezone: 'UTC', sloppyRanges: true }).nextRuns(
          4,
          new Date(after),
        )
        // The library gives up on dates that are years away; what it finds has to be found here, in that order.
        const found = nextTimes(schedule, Date.parse(after), 4)
        expect(shown(found.slice(0, expected.length)), `${schedule} after ${after}`).to.deep.equal(
          shown(expected.map(Number)),
        )
      }),
      { numRuns: 1_000 },
    )
  })

  it('are all of those and no others, minute by minute', () => {
    fc.assert(
      fc.property(schedules, moments, (schedule, after) => {
        const from = Math.floor(Date.parse(after) / 60_000) * 60_000
        const cron = new Cron(schedule, { mode: '5-part', timezone: 'UTC', sloppyRanges: true })
        const minutes = Array.from({ length: 24 * 60 }, (_, index) => from + (index + 1) * 60_000)
        const expected = minutes.filter((minute) => cron.match(new Date(minute)))
        expect(timesBetween(schedule, from, from + (24 * 60 + 1) * 60_000, 2_000)).to.deep.equal(expected)
      }),
      { numRuns: 60 },
    )
  })

  it('take a day that fits either, where a day of the month and a day of the week are asked for', () => {
    expect(calendarsOf('0 0 13 * 5')).to.have.length(2)
    expect(next('0 0 13 * 5', '2026-11-12T00:00:00Z', 3)).to.deep.equal([
      '2026-11-13T00:00',
      '2026-11-20T00:00',
      '2026-11-27T00:00',
    ])
    expect(next('0 0 13 * 5', '2026-12-11T00:00:00Z', 2)).to.deep.equal(['2026-12-13T00:00', '2026-12-18T00:00'])
  })

  for (const [schedule, after, expected] of [
    ['0 0 29 2 *', '2026-11-23T00:00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['0 0 29 2 *', '2096-02-29T00:00:00Z', ['2104-02-29T00:00', '2108-02-29T00:00']],
    ['59 23 31 12 *', '2026-12-31T23:59:00Z', ['2027-12-31T23:59', '2028-12-31T23:59']],
    ['*/7 * * * *', '2026-12-31T23:50:00Z', ['2026-12-31T23:56', '2027-01-01T00:00']],
    ['5/20 1 * * *', '2026-11-23T00:00:00Z', ['2026-11-23T01:05', '2026-11-23T01:25']],
    ['0 0 * * 5-7', '2026-11-23T00:00:00Z', ['2026-11-27T00:00', '2026-11-28T00:00', '2026-11-29T00:00']],
    ['0 0 31 * *', '2026-12-31T00:00:00Z', ['2027-01-31T00:00', '2027-03-31T00:00']],
    ['30 6,7 14 3 *', '2027-03-14T00:00:00Z', ['2027-03-14T06:30', '2027-03-14T07:30', '2028-03-14T06:30']],
    ['30 5,6 7 11 *', '2027-11-07T00:00:00Z', ['2027-11-07T05:30', '2027-11-07T06:30', '2028-11-07T05:30']],
    ['@hourly', '2027-10-31T00:30:00Z', ['2027-10-31T01:00', '2027-10-31T02:00', '2027-10-31T03:00']],
    ['@hourly', '2026-11-23T23:30:00Z', ['2026-11-24T00:00', '2026-11-24T01:00']],
    ['@daily', '2026-11-23T00:00:00Z', ['2026-11-24T00:00']],
    ['@midnight', '2026-11-23T00:00:00Z', ['2026-11-24T00:00']],
    ['@weekly', '2026-11-23T00:00:00Z', ['2026-11-29T00:00']],
    ['@monthly', '2026-11-23T00:00:00Z', ['2026-12-01T00:00']],
    ['@yearly', '2026-11-23T00:00:00Z', ['2027-01-01T00:00', '2028-01-01T00:00']],
    ['@annually', '2026-11-23T00:00:00Z', ['2027-01-01T00:00']],
  ] as const)
    it(`of ${schedule} after ${after} are ${expected.join(', ')}`, () =>
      expect(next(schedule, after, expected.length)).to.deep.equal(expected))

  it('are none where the date does not exist', () => {
    for (const schedule of ['0 0 30 2 *', '0 0 31 2,4,6,9,11 *']) {
      expect(everRuns(schedule), schedule).to.equal(false)
      expect(nextTimes(schedule, Date.now(), 5)).to.deep.equal([])
    }
    expect(everRuns('0 0 29 2 *')).to.equal(true)
    expect(everRuns('0 0 30 2 1')).to.equal(true)
  })

  for (const schedule of ['constructor', '__proto__', '@fortnightly', '0-99999 * * * *', '*/0 * * * *', '* * *'])
    it(`are none of ${schedule}, which kubectl can write`, () => {
      expect(everRuns(schedule)).to.equal(false)
      expect(nextTimes(schedule, Date.now(), 5)).to.deep.equal([])
    })
})
