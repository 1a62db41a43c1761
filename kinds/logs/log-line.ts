/** Time and level of a line in a container's log. */
import { logLineMax } from '../../contract/process-limits.ts'
import { sortableTime } from './log-time.ts'

export interface StampedLine {
  /** RFC 3339 in UTC, see `sortableTime`; empty for a line without a time. */
  t: string
  line: string
}

/** With timestamps, Kubernetes puts the time and a space in front of each line. */
export function stampedLine(raw: string): StampedLine {
  const match = /^(\d{4}-\d{2}-\d{2}T\S+) ?(.*)$/s.exec(raw)
  return match === null ? { t: '', line: raw } : { t: sortableTime(match[1] ?? ''), line: match[2] ?? '' }
}

/** The line as it is shown: cut when it is too long, with a mark. */
export const shownLine = (line: string): string => (line.length <= logLineMax ? line : `${line.slice(0, logLineMax)}…`)

/** A Map, since a line may have any word, also names of properties that every object has. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['trace', 'debug'],
  ['debug', 'debug'],
  ['dbg', 'debug'],
  ['verbose', 'debug'],
  ['info', 'info'],
  ['information', 'info'],
  ['notice', 'info'],
  ['log', 'info'],
  ['warn', 'warn'],
  ['warning', 'warn'],
  ['wrn', 'warn'],
  ['error', 'error'],
  ['err', 'error'],
  ['fatal', 'error'],
  ['panic', 'error'],
  ['critical', 'error'],
  ['crit', 'error'],
  ['emerg', 'error'],
  ['alert', 'error'],
])
/** The numbers of levels in pino and bunyan. */
const numbers: readonly (readonly [number, string])[] = [
  [50, 'error'],
  [40, 'warn'],
  [30, 'info'],
  [10, 'debug'],
]

/** `debug`, `info`, `warn`, `error`; empty for a line without a level. */
export function levelOf(line: string): string {
  const text = line.trimStart()
  if (text.startsWith('{')) {
    const level = jsonLevel(text)
    if (level !== '') return level
  }
  const named =
    /\b(?:level|lvl|severity)\s*[=:]\s*"?([a-z]+)/i.exec(text)?.[1] ??
    /^\W*(?:\S+\s+){0,3}?\W*(trace|debug|info|notice|warn|warning|error|fatal|panic|critical)\b/i.exec(
      text.slice(0, 120),
    )?.[1]
  return aliases.get(named?.toLowerCase() ?? '') ?? ''
}

function jsonLevel(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return ''
    const fields: Record<string, unknown> = { ...value }
    const level = fields['level'] ?? fields['severity'] ?? fields['lvl']
    if (typeof level === 'number') return numbers.find(([from]) => level >= from)?.[1] ?? ''
    return typeof level === 'string' ? (aliases.get(level.toLowerCase()) ?? '') : ''
  } catch {
    return ''
  }
}

/** Whether a line passes the search and level of a query; a level word of another spelling counts as its level. */
export function passes(line: string, query: { q?: string | undefined; level?: string | undefined }): boolean {
  const { q = '', level = '' } = query
  if (q !== '' && !line.toLowerCase().includes(q.toLowerCase())) return false
  const wanted = level.trim().toLowerCase()
  return wanted === '' || levelOf(line) === (aliases.get(wanted) ?? wanted)
}

/** Every spelling of the level that a search names; empty for a word that is no level. */
export function wordsOfLevel(level: string): string[] {
  const wanted = aliases.get(level.trim().toLowerCase())
  return [...aliases].filter(([, named]) => named === wanted).map(([word]) => word)
}
