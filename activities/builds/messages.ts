/**
 * What the workflow and the activities of a build exchange: names and small values only, since the history keeps it.
 */
import type { BuildPlan } from '../../kinds/builds/plan.ts'

export interface BuildRef {
  name: string
  uid: string
}

export interface BuildPassed {
  /** `waiting`: the next pass is due at the next wake, or after `restMs`. */
  outcome: 'done' | 'waiting'
  plan: BuildPlan
  message: string
  /** Time until the next pass is due, in milliseconds; `recheckMs` of the policy if left out. */
  restMs?: number
}
