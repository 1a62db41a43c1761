/**
 * The history of attempts: the lines in the log of one (docs/reference/deployments.md#history-of-an-attempt), and the
 * earlier ones that it supersedes.
 */
import { deploymentRecordsKept } from '../../contract/limits.ts'
import type { Attempt, AttemptEnd } from './attempt.ts'
import type { FrozenImage } from './image.ts'
import type { ServiceView } from './view.ts'

/** Which operation an attempt is and who asked for it, e.g. `rollback by maria`. */
export const acceptedAs = ({ operation, actor }: Attempt): string => `${operation} by ${actor}`

/** The message in the status of a service while its attempt runs and nothing else is known. */
export const rollingOut = (record: string): string => `rolling out ${record}`

/** An attempt as its log shows it; `as` is what `acceptedAs` returns. */
export type Accepted = Pick<Attempt, 'record' | 'title' | 'at'> & { as: string }

export const acceptedOf = (attempt: Attempt): Accepted => ({ ...attempt, as: acceptedAs(attempt) })

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

function frozenImageStep({ image, note }: FrozenImage): string {
  const [reference, digest] = image.split('@')
  if (digest === undefined) return `image ${image} is taken by its tag: ${note ?? 'its digest is not known'}`
  return `image ${reference} is ${digest}${note === undefined ? '' : ` (${note})`}`
}

/** The log lines of a current attempt that succeeded; none where it has not. */
export function successSteps({ attempt, success, frozenImage }: ServiceView): LogEntry[] {
  return success === undefined || attempt === undefined ? [] : endSteps(acceptedOf(attempt), success, frozenImage)
}

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
