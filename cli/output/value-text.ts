/** The text of single values: durations, times and fields. */

/** `45s`, `2m 5s`, `1h 3m`. */
export function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`
  return `${Math.floor(seconds / 3600)}h ${Math.floor((seconds % 3600) / 60)}m`
}

/** `2026-11-21 13:05:09Z`, which is UTC, from RFC 3339; any other text is unchanged. */
export function timeText(time: string | null | undefined): string {
  if (time === undefined || time === null || time === '') return ''
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? time : `${date.toISOString().slice(0, 19).replace('T', ' ')}Z`
}

/** A list of words is shown as `one, two`, any other nested value as JSON. */
export function detailText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
