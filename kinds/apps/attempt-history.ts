/**
 * The lines in the log of an attempt, how an attempt ended, and whether its history is complete: the record
 * `<app>-active` gets the phase `Available` as the last write of a success
 * (docs/reference/deployments.md#history-of-an-attempt).
 */
import { deploymentRecordsKept } from '../../contract/limits.ts'
import type { Attempt } from './attempt.ts'
import { type FrozenImage, frozenImageStep } from './image.ts'
import type { ServiceView } from './view.ts'

/** Which operation an attempt is and who asked for it, e.g. `rollback by maria`. */
export const acceptedAs = ({ operation, actor }: Attempt): string => `${operation} by ${actor}`

/** The message in the status of a service while its attempt runs and nothing else is known. */
export const rollingOut = (record: string): string => `rolling out ${record}`

/** An attempt as its log shows it; `as` is what `acceptedAs` returns. */
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
   * Only of the entry for the end of an attempt: the entry is not written where the log has an end at or after this
   * time, so that an attempt ends only once.
   */
  endSince?: string
}

/** The lines that the log of every ended attempt has. */
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

/** How the current attempt succeeded, from `status.lastAttempt`; undefined where it has not succeeded. */
export function successOf({ app, attempt }: ServiceView): AttemptEnd | undefined {
  const last = app.status?.lastAttempt
  if (attempt === undefined || last?.id !== attempt.record || last.phase !== 'Succeeded') return undefined
  const { startedAt = attempt.at, completedAt = startedAt, summary = '' } = last
  return { phase: last.phase, summary, startedAt, completedAt }
}

/** The log lines of a current attempt that succeeded; none where it has not. */
export function successSteps(view: ServiceView): LogEntry[] {
  const end = successOf(view)
  return end === undefined || view.attempt === undefined
    ? []
    : endSteps(acceptedOf(view.attempt), end, view.frozenImage)
}

/** The fields of the record `<app>-active` that `isInHistory` reads. */
interface Active {
  status?: { phase?: string | undefined; startedAt?: string | undefined } | undefined
}

/** Whether `<app>-active` has the success of the attempt that was accepted at the time `at`. */
export const isInHistory = (active: Active | undefined, at: string | undefined): boolean =>
  active?.status?.phase === 'Available' && active.status.startedAt === at

/** True when the current attempt succeeded and its worker died before its history was written. */
export const isHistoryMissing = (view: ServiceView, active: Active | undefined): boolean =>
  successOf(view) !== undefined && !isInHistory(active, view.attempt?.at)

/**
 * Which attempts an attempt accepted now supersedes: the current one, and those that it supersedes itself while no
 * worker has started it. A worker that starts an attempt writes the end of the ones before.
 */
export function supersededBy({
  app,
  attempt,
  attemptGoesOn,
}: ServiceView): Pick<Attempt, 'supersedes' | 'alsoSupersedes'> {
  if (attempt === undefined || !attemptGoesOn) return {}
  const { record, supersedes, alsoSupersedes = [] } = attempt
  const unwritten =
    app.status?.lastAttempt?.id === record ? [] : [...(supersedes === undefined ? [] : [supersedes]), ...alsoSupersedes]
  return {
    supersedes: record,
    ...(unwritten.length === 0 ? {} : { alsoSupersedes: unwritten.slice(0, deploymentRecordsKept) }),
  }
}
