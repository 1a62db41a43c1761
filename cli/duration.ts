/** Durations: as people type them (`10m`) and as they are told them (`2m 5s`). */
import { CliError } from './exit-codes.ts'

/** Milliseconds of `90s`, `10m`, `1h30m` or a bare number of seconds. @throws CliError `usage`. */
export async function parseDurationMs(flag: string, text: string): Promise<number> {
  const { durationSeconds } = await import('../contract/log-fields.ts')
  const seconds = durationSeconds(text)
  if (seconds === undefined || seconds === 0) throw new CliError('usage', `${flag} must be a duration such as 90s, 10m or 1h`)
  return seconds * 1000
}

/** `45s`, `2m 5s`, `1h 3m`. */
export function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`
  return `${Math.floor(seconds / 3600)}h ${Math.floor((seconds % 3600) / 60)}m`
}

/** `2026-11-21 13:05:09` in UTC, from RFC 3339; a text that is no time stays as it is. */
export function timeText(time: string | null | undefined): string {
  if (time === undefined || time === null || time === '') return ''
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? time : date.toISOString().slice(0, 19).replace('T', ' ')
}
