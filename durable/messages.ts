/**
 * Signals to a reconciling workflow: wakes only, since the record is the truth
 * (docs/decisions/0004-a-hint-is-only-a-hint.md).
 */
import type { Policy } from './policy.ts'

/** The signal that opens or wakes a reconciling workflow. */
export const wakeSignal = 'hint'

/** The signal that opens or wakes the report of a deploy to the git host. */
export const reportSignal = 'news'

/** Why a pass over the record may be needed; holds no value of the record, and no secret. */
export interface Wake {
  /** A short sentence for the run's log, e.g. `deploy requested` or `health changed: ready`. */
  reason: string
  /** The user or token that caused the wake, if one did. */
  actor?: string
  /** Id of the request that caused the wake, as in the request log. */
  requestId?: string
  /**
   * The record's intent, if that is the only cause of the wake: a run that works on this intent already needs no
   * further pass.
   */
  intent?: string
}

/** The values of search attributes by which operators filter runs. */
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
  /** False if the install may not register search attributes: then the run sets none. */
  searchable: boolean
  /** The search attributes that the run was started with: as long as they are right, the run sets none itself. */
  attributes?: RunAttributes
  /** Set by a run that continues as new, for the run that follows it. */
  carried?: Carried
}

/** In plans and in arguments of activities: no attempt. */
export const noAttempt = ''

/**
 * State of a run that the record does not hold, for the run that continues it. Times are milliseconds since 1970, so
 * that deadlines stay the same.
 */
export interface Carried {
  /** The intent, or for a service the attempt, that the run works on. Histories have it by this name. */
  begun?: string
  /** When the unfinished work began. */
  since?: number
  /** Failure-class passes in a row, and the time of the first. */
  failed?: { passes: number; since: number }
  /** Why the last operation failed; '' when it did not. */
  failure?: string
}
