/**
 * Signals to a reconciling workflow: wakes only, since the record is the truth
 * (docs/decisions/0004-a-hint-is-only-a-hint.md).
 */

import type { Policy } from './policy.ts'

/** The signal that opens or wakes a reconciling workflow. */
export const wakeSignal = 'hint'

/** Why the record may be worth a look; never a value of the record itself, and never a secret. */
export interface Wake {
  /** A short sentence for the run's log, e.g. `deploy requested` or `health changed: ready`. */
  reason: string
  /** Who caused it, when a person or token did. */
  actor?: string
  /** The request that caused it, for finding it in the request log. */
  requestId?: string
}

/** The one argument of every reconciling workflow. */
export interface SettleInput {
  /** metadata.name of the record in svc-system. */
  name: string
  policy: Policy
  /** False where the install may not register search attributes: the run then goes without. */
  searchable: boolean
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
  /** What the run has begun: an intent, or the attempt of a service. */
  begun?: string
  /** When the work that still goes on began. */
  since?: number
  /** Failure-class passes in a row, and when the first of them was. */
  failed?: { passes: number; since: number }
  /** Why the last operation failed; '' when it did not. */
  failure?: string
}
