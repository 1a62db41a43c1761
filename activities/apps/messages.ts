/**
 * What the workflow and the activities of a service exchange: names and small values only, since it enters the history.
 */

import type { ReadyReason } from '../../kinds/meta/condition-reasons.ts'
import type { Plan } from '../../kinds/apps/next-action.ts'

export interface ServiceRef {
  name: string
  uid: string
}

export interface PrepareInput extends ServiceRef {
  attempt: string
  story: 'deploy' | 'reconcile'
}

export type Prepared =
  /**
   * `unmoved`: the copies were as wanted already, so no event of theirs will follow. `ranMs`: time since a worker
   * started the attempt, by the clock of the cluster; Temporal's may be another.
   */
  | ({ outcome: 'applied'; plan: Plan; unmoved: boolean } & Ran)
  /** The record asks for something else by now. */
  | { outcome: 'changed'; plan: Plan }
  /** Something must come first: no error. */
  | ({ outcome: 'waiting'; plan: Plan; reason: ReadyReason<'app'>; message: string } & Ran)
  /** A failure-class message: counted. */
  | ({ outcome: 'failing'; plan: Plan; reason: ReadyReason<'app'>; message: string } & Ran)

interface Ran {
  /** Missing in histories of earlier releases. */
  ranMs?: number
}

export interface LookInput extends ServiceRef {
  attempt: string
  intent: string
  deadlinePassed: boolean
}

export type Seen =
  /** The work for this intent is over; `failure` says why when it failed. */
  | { outcome: 'ended'; plan: Plan; failure: string }
  | { outcome: 'waiting'; plan: Plan; message: string }
  /** The record asks for something else by now. */
  | { outcome: 'changed'; plan: Plan }
  /** What was made is gone or belongs to another release. */
  | { outcome: 'missing'; plan: Plan }

export interface GiveUpInput extends ServiceRef {
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
