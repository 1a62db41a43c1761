/** The Ready condition: one function alone makes it, so that every kind has the same shape of state. */

import { messageMax } from './bounds.ts'
import type { Condition } from './resource.ts'
import { defined } from '../../contract/defined.ts'

/** What a pass found out about its resource. */
export interface Verdict {
  ready: boolean
  reason: string
  message: string
}

/** The conditions with `Ready` set to the verdict; lastTransitionTime moves only when the status flips. */
export function withReady(
  conditions: readonly Condition[] | undefined,
  verdict: Verdict,
  generation: number | undefined,
  now: string,
): Condition[] {
  return withCondition('Ready', conditions, verdict, generation, now)
}

/** The same for a condition of another type. */
export function withCondition(
  type: string,
  conditions: readonly Condition[] | undefined,
  verdict: Verdict,
  generation: number | undefined,
  now: string,
): Condition[] {
  const before = conditionOf(conditions, type)
  const status = verdict.ready ? 'True' : 'False'
  const said: Condition = {
    type,
    status,
    reason: verdict.reason,
    message: cut(verdict.message),
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : now,
    ...defined({ observedGeneration: generation }),
  }
  // In its place, so that saying the same again changes nothing.
  return before === undefined
    ? [...(conditions ?? []), said]
    : (conditions ?? []).map((condition) => (condition.type === type ? said : condition))
}

/** Whether the condition says this message already, as far as a condition keeps it. */
export function says(condition: Condition | undefined, message: string): boolean {
  return condition?.message === cut(message)
}

/**
 * A refusal of the cluster may be longer than the cluster takes for a message, and the status would never be written.
 */
function cut(message: string): string {
  if (message.length <= messageMax) return message
  // A pair of surrogates is never cut in two.
  return `${message.slice(0, messageMax - 2).replace(/[\uD800-\uDBFF]$/, '')} …`
}

export function readyOf(conditions: readonly Condition[] | undefined): Condition | undefined {
  return conditionOf(conditions, 'Ready')
}

export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type)
}
