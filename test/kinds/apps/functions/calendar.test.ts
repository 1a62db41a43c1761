/** The times of schedules: dates that are easily got wrong, and that Temporal is given the same times as are shown. */
import { expect } from 'chai'
import fc from 'fast-check'
import { isSchedule } from '../../../../contract/fields/cron.ts'
import {
  type Calendar,
  calendarsOf,
  everRuns,
  nextTimes,
  timesBetween,
} from '../../../../kinds/apps/functions/calendar.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

const shown = (times: readonly number[]) => times.map((time) => new Date(time).toISOString().slice(0, 16))
const next = (schedule: string, after: string, count: number) => shown(nextTimes(schedule, Date.parse(after), count))

const digits = (value: number, isPadded: boolean) => `${value}`.padStart(isPadded ? 2 : 1, '0')

/** One part of a field: a number, a range or all, each with a step or without. */
const part = (min: number, max: number) =>
  fc
    .tuple(
      fc.constantFrom('all', 'one', 'range'),
      fc.integer({ min, max }),
      fc.integer({ min, max }),
      fc.option(fc.integer({ min: 1, max })),
      fc.boolean(),
    )
    .map(([form, a, b, step, isPadded]) => {
      const [first, last] = [digits(Math.min(a, b), isPadded), digits(Math.max(a, b), isPadded)]
      const range = form === 'all' ? '*' : form === 'one' ? first : `${first}-${last}`
      return step === null ? range : `${range}/${digits(step, isPadded)}`
    })

const field = (min: number, max: number) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant('*') },
    fc.array(part(min, max), { minLength: 1, maxLength: 3 }).map((parts) => parts.join()),
  )

const dayFields = [field(1, 31), field(1, 12), field(0, 7)] as const
const schedules = fc.tuple(field(0, 59), field(0, 23), ...dayFields).map((fields) => fields.join(' '))
const midnights = fc.tuple(...dayFields).map((fields) => `0 0 ${fields.join(' ')}`)

/** Around leap days, the ends of years, of a leap day's century and of months. */
const moments = fc.oneof(
  fc.constantFrom('2027-12-31T23:58:00Z', '2028-02-28T23:59:00Z', '2028-02-29T23:59:30Z', '2096-03-01T00:00:00Z'),
  fc
    .date({ min: new Date('2026-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
)

/** Whether Temporal begins a run at this minute. */
const isIn = (calendars: readonly Calendar[], time: number): boolean => {
  const date = new Date(time)
  return calendars.some(
    ({ minutes, hours, daysOfMonth, months, daysOfWeek }) =>
      minutes.includes(date.getUTCMinutes()) &&
      hours.includes(date.getUTCHours()) &&
      daysOfMonth.includes(date.getUTCDate()) &&
      months.includes(date.getUTCMonth() + 1) &&
      daysOfWeek.includes(date.getUTCDay()),
  )
}

/** The times at which Temporal begins a run, of all that are a whole number of steps after `from`. */
const begun = (schedule: string, from: number, until: number, step: number): number[] => {
  const calendars = calendarsOf(schedule)
  return Array.from({ length: (until - from) / step }, (_, index) => from + index * step).filter((time) =>
    isIn(calendars, time),
  )
}

describe('the times of a schedule', () => {
  it('are those at which Temporal begins a run, minute by minute', () => {
    fc.assert(
      fc.property(schedules, moments, (schedule, after) => {
        expect(isSchedule(schedule), schedule).to.equal(true)
        // Most schedules name few days, and a day without a time shows little.
        const [near = Date.parse(after)] = nextTimes(schedule, Date.parse(after), 1)
        const from = Math.floor(near / dayMs - 1) * dayMs
        const until = from + 3 * dayMs
        expect(timesBetween(schedule, from - 1, until, 5_000), `${schedule} after ${after}`).to.deep.equal(
          begun(schedule, from, until, minuteMs),
        )
      }),
      { numRuns: 100 },
    )
  })

  it('are on the days on which Temporal begins a run, over nine years', () => {
    fc.assert(
      fc.property(midnights, moments, (schedule, after) => {
        const from = Math.floor(Date.parse(after) / dayMs) * dayMs
        const until = from + 9 * 366 * dayMs
        expect(timesBetween(schedule, from - 1, until, 5_000), `${schedule} after ${after}`).to.deep.equal(
          begun(schedule, from, until, dayMs),
        )
      }),
      { numRuns: 40 },
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
    expect(next('0 0 13 * */1', '2026-12-11T00:00:00Z', 2)).to.deep.equal(['2026-12-12T00:00', '2026-12-13T00:00'])
  })

  for (const [schedule, after, expected] of [
    ['0 0 29 2 *', '2026-11-23T00:00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['0 0 29 2 *', '2096-02-29T00:00:00Z', ['2104-02-29T00:00', '2108-02-29T00:00']],
    ['59 23 31 12 *', '2026-12-31T23:59:00Z', ['2027-12-31T23:59', '2028-12-31T23:59']],
    ['*/7 * * * *', '2026-12-31T23:50:00Z', ['2026-12-31T23:56', '2027-01-01T00:00']],
    ['5/20 1 * * *', '2026-11-23T00:00:00Z', ['2026-11-23T01:05', '2026-11-23T01:25', '2026-11-23T01:45']],
    ['05,50-59/04 01 * * *', '2026-11-23T00:00:00Z', ['2026-11-23T01:05', '2026-11-23T01:50', '2026-11-23T01:54']],
    ['0 0 * * 5-7', '2026-11-23T00:00:00Z', ['2026-11-27T00:00', '2026-11-28T00:00', '2026-11-29T00:00']],
    ['0 0 * * 0', '2026-11-23T00:00:00Z', ['2026-11-29T00:00', '2026-12-06T00:00']],
    ['0 0 * * 7', '2026-11-23T00:00:00Z', ['2026-11-29T00:00', '2026-12-06T00:00']],
    ['0 0 * * 7/2', '2026-11-23T00:00:00Z', ['2026-11-29T00:00', '2026-12-06T00:00']],
    ['0 7/12 * * 3,07/2', '2026-11-23T00:00:00Z', ['2026-11-25T07:00', '2026-11-25T19:00', '2026-11-29T07:00']],
    ['0 0 * * 4/2', '2026-11-23T00:00:00Z', ['2026-11-26T00:00', '2026-11-28T00:00', '2026-12-03T00:00']],
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

  it('are in UTC where the machine has another time zone', () => {
    const zone = process.env['TZ']
    process.env['TZ'] = 'America/New_York'
    try {
      // The clocks there are set forward at 07:00 UTC.
      expect(next('30 2,7 14 3 *', '2027-03-14T00:00:00Z', 2)).to.deep.equal(['2027-03-14T02:30', '2027-03-14T07:30'])
    } finally {
      if (zone === undefined) delete process.env['TZ']
      else process.env['TZ'] = zone
    }
  })

  it('are after the one moment and before the other', () => {
    const between = (from: string, until: string, most: number) =>
      shown(timesBetween('* * * * *', Date.parse(`2026-11-23T${from}Z`), Date.parse(`2026-11-23T${until}Z`), most))
    const [zero, one, two] = ['2026-11-23T10:00', '2026-11-23T10:01', '2026-11-23T10:02']
    expect(between('10:00:00.000', '10:02:00.000', 9)).to.deep.equal([one])
    expect(between('09:59:59.999', '10:02:00.001', 9)).to.deep.equal([zero, one, two])
    expect(between('10:00:00.001', '10:01:59.999', 9)).to.deep.equal([one])
    expect(between('09:59:00.000', '11:00:00.000', 2)).to.deep.equal([zero, one])
    expect(between('10:00:00.000', '10:00:00.000', 9)).to.deep.equal([])
  })

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

  for (const schedule of [
    '0 0 L * *',
    '0 0 1W * *',
    '0 0 1 JAN *',
    '0 0 * * MON',
    '0 0 * * 5#2',
    '0 0 1 * +1',
    '@Daily',
  ])
    it(`are none of ${schedule}, which is a schedule elsewhere`, () => expect(everRuns(schedule)).to.equal(false))

  it('are none of a single date', () => expect(everRuns('2090-01-01T00:00:00Z')).to.equal(false))
})
