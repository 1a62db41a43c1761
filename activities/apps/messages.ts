/**
 * What the workflow and the activities of a service exchange: names and small values only, since it enters the history.
 */
import type { ReadyReason } from '../../kinds/meta/condition-reasons.ts'
import type { Plan } from '../../kinds/apps/view.ts'

export interface ServiceRef {
  name: string
  uid: string
}

export interface PrepareInput extends ServiceRef {
  attempt: string
  story: 'deploy' | 'reconcile'
  /** Whether the run looks at the copies in the same task, and waits for them. */
  waits?: boolean
}

export interface StartInput extends Pick<PrepareInput, 'waits'> {
  name: string
}

export type Prepared =
  /**
   * `unmoved`: the copies were as wanted already, so no event of theirs will follow. `ranMs`: time since a worker
   * started the attempt, by the clock of the cluster; Temporal's may be another. `deployment`: the resourceVersion that
   * the Deployment has by it; a look must not be taken of an older one. `applied`: see `appliedText`.
   */
  | ({ outcome: 'applied'; plan: Plan; unmoved: boolean; deployment?: string; applied?: string } & Ran)
  /** The record asks for something else by now. */
  | { outcome: 'changed'; plan: Plan }
  /** Something must come first: no error. */
  | ({ outcome: 'waiting'; plan: Plan; reason: ReadyReason<'app'>; message: string } & Ran)
  /** The attempt ended: its image could not be built. */
  | { outcome: 'ended'; plan: Plan; failure: string }
  /** A failure-class message: counted. */
  | ({ outcome: 'failing'; plan: Plan; reason: ReadyReason<'app'>; message: string } & Ran)

/** `long`: nothing was done, since it may take longer than a workflow task has. */
export type PreparedInTask = Prepared | { outcome: 'long' }

/** What a run begins with. */
export interface Started {
  plan: Plan
  /** How the first half of a rollout went; absent where the plan is none. */
  prepared?: PreparedInTask
}

interface Ran {
  /** Missing in histories of earlier releases. */
  ranMs?: number
}

export interface LookInput extends ServiceRef {
  attempt: string
  /**
   * Of a check of what rests: an attempt that is over, whose end may be missing in its history and not be sent to
   * webhooks.
   */
  ended?: string
  intent: string
  deadlinePassed: boolean
  /** The resourceVersion that the Deployment has at least; without one it is read live. */
  deployment?: string
  /** What the pass before it applied (`appliedText`). */
  applied?: string
  /** How long to wait for something to look at. */
  waitMs?: number
}

export type Seen =
  /** The work for this intent is over; `failure` says why when it failed. */
  | { outcome: 'ended'; plan: Plan; failure: string }
  /** `message`: '' where there was nothing to look at. */
  | { outcome: 'waiting'; plan: Plan; message: string }
  /** The record asks for something else by now. */
  | { outcome: 'changed'; plan: Plan }
  /** What was made is gone or belongs to another release. */
  | { outcome: 'missing'; plan: Plan }

export interface MarkFailedInput extends ServiceRef {
  attempt: string
  intent: string
  reason: ReadyReason<'app'>
  message: string
}

export interface TearDownInput extends ServiceRef {
  story: 'remove' | 'withdraw'
}

export interface TornDown {
  outcome: 'done' | 'waiting'
  plan: Plan
  message: string
}
