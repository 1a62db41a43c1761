/**
 * What the workflow and the activities of a build exchange: names and small values only, since it enters the history.
 */
import type { BuildPlan } from '../../kinds/builds/plan.ts'

export interface BuildRef {
  name: string
  uid: string
}

export interface BuildPassed {
  /** `waiting`: a pass is due when something changes, or after a while. */
  outcome: 'done' | 'waiting'
  plan: BuildPlan
  message: string
  /** After which the next pass is due, in milliseconds; `recheckMs` of the policy where it is left out. */
  restMs?: number
}
