/** The query of a log read and its answer; services and projects read logs alike. */
import { z } from 'zod'
import { anyText, flag, withFieldOptions, wholeNumber } from './fields.ts'
import * as limits from '../limits.ts'

const unitSeconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const
const sinceRefusal = 'since must be a duration such as 15m, 2h, or 7d, at most 7 days'

/** Seconds of `90s`, `1h30m`, `7d` or a bare number of seconds; undefined when it is none of these. */
export function durationSeconds(value: string): number | undefined {
  if (/^\d{1,9}$/.test(value)) return Number(value)
  if (!/^(\d{1,9}[smhd])+$/.test(value)) return undefined
  return [...value.matchAll(/(\d+)([smhd])/g)].reduce(
    // The pattern admits no other unit.
    (sum, [, count, unit]) => sum + Number(count) * unitSeconds[unit as keyof typeof unitSeconds],
    0,
  )
}

const since = z
  .string({ error: sinceRefusal })
  .trim()
  .refine(
    (value) => {
      if (value === '') return true
      const seconds = durationSeconds(value)
      return seconds !== undefined && seconds > 0 && seconds <= limits.logSinceSeconds
    },
    { error: sinceRefusal },
  )

const linesWanted = (name: string) =>
  wholeNumber(name, limits.logTail.min, limits.logTail.max).default(limits.logTail.default)

const filters = {
  since: since.optional(),
  q: withFieldOptions(anyText('q', limits.logSearchMax).optional(), { aliases: ['search'] }),
  level: anyText('level', 20).optional(),
}

/** `level` and `q` filter within the newest `tail` lines of each pod. */
export const logQuery = { tail: linesWanted('tail'), ...filters, previous: flag('previous').optional() }

/** Of the stored history: the newest `limit` lines that pass. */
export const historyQuery = { limit: linesWanted('limit'), ...filters }

export const logLine = z.object({
  t: z.string(),
  service: z.string(),
  pod: z.string(),
  container: z.string(),
  line: z.string(),
  level: z.string(),
  previous: z.boolean(),
})

/** Oldest first. */
export const logsView = z.object({
  lines: z.array(logLine),
  services: z.array(z.string()),
  truncated: z.boolean(),
  note: z.string(),
})

/** Oldest first; without a store `available` is false and the message says why. */
export const historyView = z.object({
  available: z.boolean(),
  message: z.string().optional(),
  lines: z.array(logLine),
  services: z.array(z.string()),
  truncated: z.boolean(),
})
