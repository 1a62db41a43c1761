/**
 * What the workflow and the activities of a service exchange: names and small values only, since the history keeps it.
 */
import type { ReadyReason } from '../../kinds/meta/condition-reasons.ts'
import type { Plan } from '../../kinds/apps/deploy/plan.ts'

export interface ServiceRef {
  name: string
  uid: string
}

export interface PrepareInput extends ServiceRef {
  attempt: string
  story: 'deploy' | 'reconcile'
  /** Whether the run looks at the copies and waits for them in the same workflow task. */
  waits?: boolean
}

export interface StartInput extends Pick<PrepareInput, 'waits'> {
  name: string
}

export type Prepared =
  /**
   * `unmoved`: the Deployment was as wanted already, so no event of it will follow. `ranMs`: time since a worker
   * started the attempt, by the cluster's clock; Temporal's may differ. `deployment`: the resourceVersion of the
   * Deployment after the apply; a look must not use an older one. `applied`: see `appliedText`.
   */
  | ({ outcome: 'applied'; plan: Plan; unmoved: boolean; deployment?: string; applied?: string } & Ran)
  /** The record asks for something else than the run works on, or is gone. */
  | { outcome: 'changed'; plan: Plan }
  /** A wait, no error: something else must come first. */
  | ({ outcome: 'waiting'; plan: Plan; reason: ReadyReason<'app'>; message: string } & Ran)
  /** The attempt ended: its image could not be built. */
  | { outcome: 'ended'; plan: Plan; failure: string }
  /** A failure-class message, which the workflow counts. */
  | ({ outcome: 'failing'; plan: Plan; reason: ReadyReason<'app'>; message: string } & Ran)

/** `long`: nothing was done, since it may take longer than a workflow task has. */
export type PreparedInTask = Prepared | { outcome: 'long' }

/** The first result of a run. */
export interface Started {
  plan: Plan
  /** The result of the first half of a rollout; absent if the plan is no rollout. */
  prepared?: PreparedInTask
}

interface Ran {
  /** Missing in histories of earlier releases. */
  ranMs?: number
}

export interface LookInput extends ServiceRef {
  attempt: string
  /**
   * For the drift check of a resting service: an attempt that is over, whose end may be missing in its history and
   * unsent to webhooks.
   */
  ended?: string
  intent: string
  deadlinePassed: boolean
  /** The lowest resourceVersion of the Deployment that may be used; without one the Deployment is read live. */
  deployment?: string
  /** What the pass before this look applied (`appliedText`). */
  applied?: string
  /** How long to wait for an event of the copies before the look, in milliseconds. */
  waitMs?: number
}

export type Seen =
  /**
   * The work for this intent is over; `failure` says why when it failed. `message`: how it ended, for who reads the
   * run; missing in histories of earlier releases.
   */
  | { outcome: 'ended'; plan: Plan; failure: string; message?: string }
  /** `message`: '' if no event of the copies came within `waitMs`. */
  | { outcome: 'waiting'; plan: Plan; message: string }
  /** The record asks for something else than the run works on, or is gone. */
  | { outcome: 'changed'; plan: Plan }
  /** Applied objects are gone or belong to another release. */
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
