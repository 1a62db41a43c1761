/**
 * What the conditions of the platform configuration say of a setting, and what is said while nothing has checked it.
 */

import type { PlatformConfig } from './kind.ts'

export interface Checked {
  ready: boolean
  reason: string
  message: string
}

/** `missing` answers for a setting that is not set. A verdict about another generation counts as none. */
export function checkedOf(
  config: PlatformConfig | undefined,
  type: 'DashboardDomainReady' | 'CloudflareReady',
  configured: boolean,
  missing: Omit<Checked, 'ready'>,
): Checked {
  if (!configured) return { ready: false, ...missing }
  const said = config?.status?.conditions?.find((condition) => condition.type === type)
  if (said === undefined || said.observedGeneration !== config?.metadata.generation)
    return { ready: false, reason: 'NotChecked', message: 'nothing has checked this setting yet' }
  return { ready: said.status === 'True', reason: said.reason, message: said.message }
}
