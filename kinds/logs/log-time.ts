/** Times of log lines in one form that sorts as text: UTC, with nine digits after the second. */

const stamp = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/
const digits = 9

/** A node may use its own time zone and any number of digits. A text that is no RFC 3339 time stays as it is. */
export function sortableTime(text: string): string {
  const [, second = '', fraction = '', zone = ''] = stamp.exec(text) ?? []
  if (second === '') return text
  const utc = zone === 'Z' ? second : inUtc(second + zone)
  return `${utc}.${fraction.slice(0, digits).padEnd(digits, '0')}Z`
}

/** The time so many nanoseconds after 1970 began. */
export function timeOfNanoseconds(nanoseconds: bigint): string {
  const fraction = String(nanoseconds % 1_000_000_000n).padStart(digits, '0')
  return `${isoSecond(Number(nanoseconds / 1_000_000_000n) * 1000)}.${fraction}Z`
}

/** The second of a sortable time, in the form of the Kubernetes API: `2026-11-21T10:00:00Z`. */
export const secondOf = (time: string): string => `${time.slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`

const isoSecond = (ms: number): string => new Date(ms).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)

function inUtc(text: string): string {
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? text.slice(0, 'yyyy-mm-ddThh:mm:ss'.length) : isoSecond(ms)
}
