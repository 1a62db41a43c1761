/** How single values are shown: durations, times, and what a field holds. */

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

/** What is nested is shown as JSON. */
export function detailText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
