/**
 * The times of a function's schedule: pure UTC arithmetic on the grammar of contract/fields/cron.ts
 * (docs/reference/functions.md#when-a-schedule-runs).
 */
import { isSchedule } from '../../contract/fields/cron.ts'

/** What one field allows, as a sorted list; days of the week from 0, Sunday, to 6. */
export interface Calendar {
  minutes: readonly number[]
  hours: readonly number[]
  daysOfMonth: readonly number[]
  months: readonly number[]
  daysOfWeek: readonly number[]
}

const words: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
}

const dayMs = 86_400_000
const minuteMs = 60_000
/** Two leap days are at most eight years apart. */
const longestGapDays = 366 * 9

/**
 * The calendars of a schedule that `everRuns`; a time belongs to the schedule when it fits one of them. There are two
 * where the schedule names both days of the month and days of the week: cron then runs on days that fit either.
 */
export function calendarsOf(schedule: string): Calendar[] {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = (words[schedule] ?? schedule).split(/\s+/)
  const days = valuesOf(day, 1, 31)
  const weekdays = [...new Set(valuesOf(weekday, 0, 6).map((value) => value % 7))].toSorted((a, b) => a - b)
  const calendar: Calendar = {
    minutes: valuesOf(minute, 0, 59),
    hours: valuesOf(hour, 0, 23),
    daysOfMonth: days,
    months: valuesOf(month, 1, 12),
    daysOfWeek: weekdays,
  }
  if (day === '*' || weekday === '*') return [calendar]
  return [
    { ...calendar, daysOfWeek: valuesOf('*', 0, 6) },
    { ...calendar, daysOfMonth: valuesOf('*', 1, 31) },
  ]
}

/** The next `count` times after a moment, both in milliseconds since 1970; fewer where the schedule has no more. */
export const nextTimes = (schedule: string, after: number, count: number): number[] =>
  timesBetween(schedule, after, Infinity, count)

/** The times after `from` and before `until`, the first `most` of them. */
export function timesBetween(schedule: string, from: number, until: number, most: number): number[] {
  const times: number[] = []
  for (const time of timesAfter(schedule, from)) {
    if (time >= until) break
    times.push(time)
    if (times.length >= most) break
  }
  return times
}

/**
 * Whether a schedule has a time at all: false for a date that does not exist, such as 30 February, and for a text that
 * is no schedule.
 */
export const everRuns = (schedule: string): boolean => nextTimes(schedule, 0, 1).length > 0

function* timesAfter(schedule: string, after: number): Generator<number, void, undefined> {
  // A record written with kubectl may hold any text, and a range of a billion minutes would keep the process busy for
  // good.
  if (!isSchedule(schedule)) return
  const calendars = calendarsOf(schedule)
  let silent = 0
  for (let day = Math.floor(after / dayMs) * dayMs; silent <= longestGapDays; day += dayMs) {
    const fitting = calendars.find((calendar) => isOn(calendar, new Date(day)))
    silent = fitting === undefined ? silent + 1 : 0
    // Calendars of one schedule differ in their days alone.
    for (const hour of fitting?.hours ?? [])
      for (const minute of fitting?.minutes ?? []) {
        const time = day + (hour * 60 + minute) * minuteMs
        if (time > after) yield time
      }
  }
}

const isOn = ({ daysOfMonth, months, daysOfWeek }: Calendar, date: Date): boolean =>
  months.includes(date.getUTCMonth() + 1) &&
  daysOfMonth.includes(date.getUTCDate()) &&
  daysOfWeek.includes(date.getUTCDay())

/** A single number with a step counts from there to `max`: for days of the week that is Saturday, 6. */
function valuesOf(field: string, min: number, max: number): number[] {
  const values = field.split(',').flatMap((part) => {
    const [range = '', step] = part.split('/')
    const [first = '', last] = range.split('-')
    const from = range === '*' ? min : Number(first)
    const to =
      range === '*' ? max : last === undefined ? (step === undefined ? from : Math.max(from, max)) : Number(last)
    const by = Number(step ?? 1)
    return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by)
  })
  return [...new Set(values)].toSorted((a, b) => a - b)
}
