/** The state of a platform setting by the conditions of the configuration, or `NotChecked` before a check. */
import type { ConditionReason, ConditionType } from '../meta/condition-reasons.ts'
import { conditionOf, type Verdict } from '../meta/conditions.ts'
import type { PlatformConfig } from './kind.ts'

export type SettingCondition = ConditionType<'platformConfig'>
export type SettingReason<Type extends SettingCondition> = ConditionReason<'platformConfig', Type>
export type SettingVerdict<Type extends SettingCondition> = Verdict<SettingReason<Type>>

/**
 * The verdict on a setting; `missing` for one that is not set. A condition of another generation counts as not checked.
 */
export function checkedOf<Type extends SettingCondition>(
  config: PlatformConfig | undefined,
  type: Type,
  configured: boolean,
  missing: Omit<SettingVerdict<NoInfer<Type>>, 'ready'>,
): SettingVerdict<Type> | Verdict<'NotChecked'> {
  if (!configured) return { ready: false, ...missing }
  const said = conditionOf(config?.status?.conditions, type)
  if (said === undefined || said.observedGeneration !== config?.metadata.generation)
    return { ready: false, reason: 'NotChecked', message: 'nothing has checked this setting yet' }
  return { ready: said.status === 'True', reason: said.reason, message: said.message }
}
