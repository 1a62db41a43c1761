/**
 * Signals to a reconciling workflow: wakes only, since the record is the truth
 * (docs/decisions/0004-a-hint-is-only-a-hint.md).
 */
import type { Policy } from './policy.ts'

/** The signal that opens or wakes a reconciling workflow. */
export const wakeSignal = 'hint'

/** The signal that opens or wakes the report of a deploy to the git host. */
export const reportSignal = 'news'

/** Why the record may be worth a look; never a value of the record itself, and never a secret. */
export interface Wake {
  /** A short sentence for the run's log, e.g. `deploy requested` or `health changed: ready`. */
  reason: string
  /** Who caused it, when a person or token did. */
  actor?: string
  /** The request that caused it, for finding it in the request log. */
  requestId?: string
  /**
   * The intent that the record has, when that is all the wake is about: a run that works on it already needs no further
   * look.
   */
  intent?: string
}

/** What operators filter runs by. */
export interface RunAttributes {
  operation: string
  attempt: string
  project: string
  environment: string
  actor: string
}

/** The attributes of a run that does this action. */
export const attributesOf = ({
  story,
  operation,
  attempt,
  project,
  environment,
  actor,
}: RunAttributes & { story: string }): RunAttributes => ({
  operation: story === 'deploy' ? operation : story,
  attempt,
  project,
  environment,
  actor,
})

/** The one argument of every reconciling workflow. */
export interface ReconcileInput {
  /** metadata.name of the record in svc-system. */
  name: string
  policy: Policy
  /** False where the install may not register search attributes: the run then goes without. */
  searchable: boolean
  /** What the run was started with as search attributes: as long as they hold, the run sets none of its own. */
  attributes?: RunAttributes
  /** Set by a run that continues as new, for the run that follows it. */
  carried?: Carried
}

/** What names no attempt, in plans and in the arguments of activities. */
export const noAttempt = ''

/**
 * What a run holds and the record does not: moments in milliseconds since 1970, so that every deadline stays where it
 * was.
 */
export interface Carried {
  /** What the run works on: an intent, or the attempt of a service. Histories have it by this name. */
  begun?: string
  /** When the work that still goes on began. */
  since?: number
  /** Failure-class passes in a row, and when the first of them was. */
  failed?: { passes: number; since: number }
  /** Why the last operation failed; '' when it did not. */
  failure?: string
}
