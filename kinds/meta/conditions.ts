/** The conditions of records, as they are read; `activities/kube/write-status.ts` alone makes them. */
import type { ConditionReason, ConditionType, ReadyKind, ReadyReason } from './condition-reasons.ts'
import type { Condition } from './resource.ts'

/** What a pass decided about its record. */
export interface Verdict<Reason extends ConditionReason> {
  ready: boolean
  reason: Reason
  message: string
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
