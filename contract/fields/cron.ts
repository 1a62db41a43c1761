/** The grammar of a function's schedule: five UTC cron fields of numbers, ranges, steps and lists, or an @word. */

const words = new Set(['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually'])

/** Minute, hour, day of month, month, day of week (0 and 7 are both Sunday). */
const ranges = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const

/** Whether the text is a schedule; one of a date that does not exist is, and never runs. */
export function isSchedule(text: string): boolean {
  if (words.has(text)) return true
  const fields = text.split(/\s+/)
  return fields.length === ranges.length && ranges.every(([min, max], index) => isField(fields[index] ?? '', min, max))
}

function isField(field: string, min: number, max: number): boolean {
  return field.split(',').every((part) => isPart(part, min, max))
}

/** `*`, `5`, `1-5`, each optionally with a step: `*` followed by `/15`. */
function isPart(part: string, min: number, max: number): boolean {
  const match = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part)
  if (match === null) return false
  const [, from, to, step] = match
  if (step !== undefined && (Number(step) < 1 || Number(step) > max)) return false
  if (from === undefined) return true
  const first = Number(from)
  const last = to === undefined ? first : Number(to)
  return first >= min && last <= max && first <= last
}
