/** Queries of the log store in LogQL; texts of callers are quoted. */
import { wordsOfLevel } from '../../kinds/logs/log-line.ts'

export interface HistoryFilter {
  /** Not empty. */
  readonly namespaces: readonly string[]
  /** Undefined selects every service of the namespaces. */
  readonly service?: string | undefined
  readonly q?: string | undefined
  readonly level?: string | undefined
}

/** The suffix that a Deployment appends to its name for a pod. */
const podSuffix = '-[a-z0-9]+-[a-z0-9]{5}'

/**
 * Collectors label lines with `namespace` and `pod` (and `container`). The answer has all lines that pass `q` and
 * `level`, and some that do not: the caller filters them by the rules of live lines.
 */
export function selectorOf({ namespaces, service, q = '', level = '' }: HistoryFilter): string {
  const pods = service === undefined ? `.+${podSuffix}` : literal(service) + podSuffix
  const streams = `{namespace=~${quoted(namespaces.map(literal).join('|'))},pod=~${quoted(pods)}}`
  const search = q === '' ? '' : ` |~ ${quoted(`(?i)${literal(q)}`)}`
  const words = wordsOfLevel(level)
  const levels =
    words.length === 0 ? '' : ` |~ ${quoted(`(?i)(${words.join('|')}|(level|severity|lvl)"?\\s*:\\s*\\d)`)}`
  return streams + search + levels
}

/** A pattern that matches exactly this text. */
const literal = (text: string): string => text.toWellFormed().replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')

/** A Go string literal: Go accepts all of JSON's escapes. */
const quoted = (text: string): string => JSON.stringify(text)

/** The service of a pod, by the pod's name; undefined for other pods. */
export function serviceOfPod(pod: string): string | undefined {
  return new RegExp(`^(.+)${podSuffix}$`).exec(pod)?.[1]
}
