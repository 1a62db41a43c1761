/**
 * The times of a function's schedule, by croner. What is a schedule says contract/fields/cron.ts alone: croner takes
 * more, such as `0 0 L * MON` (docs/reference/functions.md#when-a-schedule-runs).
 */
import { Cron, type CronOptions, CronPattern } from 'croner'
import { isSchedule } from '../../../contract/fields/cron.ts'

/** What one field allows, as a sorted list; days of the week from 0, Sunday, to 6. */
export interface Calendar {
  minutes: readonly number[]
  hours: readonly number[]
  daysOfMonth: readonly number[]
  months: readonly number[]
  daysOfWeek: readonly number[]
}

/** Sloppy is what croner calls a number with a step, such as `5/15`. */
const grammar = { mode: '5-part', sloppyRanges: true } as const

const everyDayOfMonth = Array.from({ length: 31 }, (_, index) => index + 1)
const everyDayOfWeek = Array.from({ length: 7 }, (_, index) => index)

/**
 * The calendars of a schedule that `everRuns`; a time belongs to the schedule when it fits one of them. There are two
 * where the schedule names both days of the month and days of the week: cron then runs on days that fit either.
 */
export function calendarsOf(schedule: string): Calendar[] {
  const pattern = new CronPattern(patternOf(schedule), undefined, grammar)
  const calendar: Calendar = {
    minutes: allowedBy(pattern.minute, 0),
    hours: allowedBy(pattern.hour, 0),
    daysOfMonth: allowedBy(pattern.day, 1),
    months: allowedBy(pattern.month, 1),
    daysOfWeek: allowedBy(pattern.dayOfWeek, 0),
  }
  if (pattern.starDOM || pattern.starDOW) return [calendar]
  return [
    { ...calendar, daysOfWeek: everyDayOfWeek },
    { ...calendar, daysOfMonth: everyDayOfMonth },
  ]
}

/** The next `count` times after a moment, both in milliseconds since 1970; fewer where the schedule has no more. */
export const nextTimes = (schedule: string, after: number, count: number): number[] =>
  timesAfter(schedule, after, count)

/** The times after `from` and before `until`, the first `most` of them. */
export const timesBetween = (schedule: string, from: number, until: number, most: number): number[] =>
  timesAfter(schedule, from, most, { stopAt: new Date(until) })

/**
 * Whether a schedule has a time at all: false for a date that does not exist, such as 30 February, and for a text that
 * is no schedule.
 */
export const everRuns = (schedule: string): boolean => nextTimes(schedule, 0, 1).length > 0

function timesAfter(schedule: string, after: number, most: number, stop: Pick<CronOptions, 'stopAt'> = {}): number[] {
  // A record written with kubectl may hold any text.
  if (!isSchedule(schedule)) return []
  // An offset and not the time zone UTC, for which croner asks Intl at each step: 14 times as slow.
  const cron = new Cron(patternOf(schedule), { ...grammar, ...stop, utcOffset: 0 })
  return cron.nextRuns(most, new Date(after)).map(Number)
}

/** For croner a step from 7 on, in the last field, is past the last day of the week; for svc it is Sunday alone. */
const patternOf = (schedule: string): string => schedule.replace(/(?<=[\s,])0?7\/(?=\S*$)/g, '7-7/')

/** The values that croner marks in a field whose first value is `first`. */
const allowedBy = (marks: readonly number[], first: number): number[] =>
  marks.flatMap((mark, index) => (mark === 0 ? [] : [index + first]))
