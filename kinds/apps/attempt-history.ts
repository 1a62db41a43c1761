/**
 * The words for an attempt, what is kept of one that ended, and whether that is complete: of a success, `<app>-active`
 * is written as `Available` after all else (docs/reference/deployments.md#history-of-an-attempt).
 */
import type { Attempt } from './attempt.ts'
import { type FrozenImage, frozenImageStep } from './image.ts'
import type { ServiceView } from './view.ts'

/** Who asked for it and how, e.g. `rollback by maria`. */
export const acceptedAs = ({ operation, actor }: Attempt): string => `${operation} by ${actor}`

/** What the status of a service says while nothing else is known of the attempt. */
export const rollingOut = (record: string): string => `rolling out ${record}`

/** An attempt as its log shows it; `as` is who asked for it and how. */
export type Accepted = Pick<Attempt, 'record' | 'title' | 'at'> & { as: string }

export const acceptedOf = (attempt: Attempt): Accepted => ({ ...attempt, as: acceptedAs(attempt) })

/** How an attempt ended; both times RFC 3339. */
export interface AttemptEnd {
  phase: 'Succeeded' | 'Failed'
  summary: string
  startedAt: string
  completedAt: string
}

export interface LogEntry {
  at: string
  text: string
  /**
   * For the end of an attempt: left out when an end was written at or after this time, so an attempt ends only once.
   */
  endSince?: string
}

/** The lines that every attempt has in its log. */
export function endSteps(
  { record, title, at, as }: Accepted,
  { phase, summary, startedAt, completedAt }: AttemptEnd,
  frozen: FrozenImage | undefined,
): LogEntry[] {
  return [
    { at, text: `accepted: ${title} (${as})` },
    { at: startedAt, text: `applying release ${record}` },
    ...(frozen === undefined ? [] : [{ at: startedAt, text: frozenImageStep(frozen) }]),
    { at: completedAt, text: `${phase}: ${summary}`, endSince: startedAt },
  ]
}

/** The success that the status has of the current attempt; undefined when it has none. */
export function successOf({ app, attempt }: ServiceView): AttemptEnd | undefined {
  const last = app.status?.lastAttempt
  if (attempt === undefined || last?.id !== attempt.record || last.phase !== 'Succeeded') return undefined
  const { startedAt = attempt.at, completedAt = startedAt, summary = '' } = last
  return { phase: last.phase, summary, startedAt, completedAt }
}

/** The lines of that success: what its log is about to have. */
export function successSteps(view: ServiceView): LogEntry[] {
  const end = successOf(view)
  return end === undefined || view.attempt === undefined
    ? []
    : endSteps(acceptedOf(view.attempt), end, view.frozenImage)
}

/** What the rule needs of the record `<app>-active`. */
interface Active {
  status?: { phase?: string | undefined; startedAt?: string | undefined } | undefined
}

/** `at`: when the attempt was accepted, as the attempt and its deployment record have it. */
export const isInHistory = (active: Active | undefined, at: string | undefined): boolean =>
  active?.status?.phase === 'Available' && active.status.startedAt === at

/** True when the current attempt succeeded and its worker died before its history was written. */
export const isHistoryMissing = (view: ServiceView, active: Active | undefined): boolean =>
  successOf(view) !== undefined && !isInHistory(active, view.attempt?.at)
