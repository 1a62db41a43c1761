/** The Ready condition. This file alone makes it, so that every kind has the same shape of state. */
import { messageMax } from './bounds.ts'
import type { ConditionedKind, ConditionReason, ConditionType, ReadyKind, ReadyReason } from './condition-reasons.ts'
import type { Condition } from './resource.ts'

/** What a pass decided about its record. */
export interface Verdict<Reason extends ConditionReason> {
  ready: boolean
  reason: Reason
  message: string
}

/**
 * The conditions with `Ready` set to the verdict; lastTransitionTime changes only when the status flips. The kind must
 * be given, `withReady<'app'>(...)`: without it no reason compiles.
 */
export function withReady<Kind extends ReadyKind = never>(
  conditions: readonly Condition[] | undefined,
  verdict: Verdict<NoInfer<ReadyReason<Kind>>>,
  generation: number | undefined,
  now: string,
): Condition[] {
  return withCondition('Ready', conditions, verdict, generation, now)
}

/** As `withReady`, for a condition of another type. */
export function withCondition<Type extends ConditionType>(
  type: Type,
  conditions: readonly Condition[] = [],
  verdict: Verdict<ConditionReason<ConditionedKind, NoInfer<Type>>>,
  generation: number | undefined,
  now: string,
): Condition[] {
  const at = conditions.findIndex((condition) => condition.type === type)
  const before = conditions[at]
  const status = verdict.ready ? 'True' : 'False'
  const said: Condition<ConditionReason> = {
    type,
    status,
    reason: verdict.reason,
    message: cut(verdict.message),
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : now,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  }
  // The condition keeps its position, so that the same verdict again changes nothing.
  return before === undefined ? [...conditions, said] : conditions.with(at, said)
}

/** Whether the condition has this message already, cut as conditions are. */
export function says(condition: Condition | undefined, message: string): boolean {
  return condition?.message === cut(message)
}

/** A refusal of the API server may be longer than the CRD allows for a message, and then no status could be written. */
function cut(message: string): string {
  if (message.length <= messageMax) return message
  // A surrogate pair is never split.
  return `${message.slice(0, messageMax - 2).replace(/[\uD800-\uDBFF]$/, '')} …`
}

/**
 * A caller that compares the reason gives the kind, `readyOf<'app'>(...)`: a reason that the kind never has does not
 * compile.
 */
export function readyOf<Kind extends ReadyKind = ReadyKind>(
  conditions: readonly Condition[] | undefined,
): Condition<ReadyReason<Kind>> | undefined {
  // Another release may have written a reason that this release does not know: it compares unequal to all of them.
  return conditions?.find((condition): condition is Condition<ReadyReason<Kind>> => condition.type === 'Ready')
}

/** A condition of the platform configuration. */
export function conditionOf<Type extends ConditionType<'platformConfig'>>(
  conditions: readonly Condition[] | undefined,
  type: Type,
): Condition<ConditionReason<'platformConfig', Type>> | undefined {
  return conditions?.find(
    (condition): condition is Condition<ConditionReason<'platformConfig', Type>> => condition.type === type,
  )
}
