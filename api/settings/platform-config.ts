/** The platform's configuration in this process's cache, and the wake of its workflow after a save. */
import type { Caller } from '../../contract/caller.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import { askedBy } from '../context/wakes.ts'
import type { Caches } from '../context/caches.ts'
import type { Needs } from '../context/needs.ts'

/** Undefined before the first save. */
export const configOf = ({ platformConfig }: Caches): PlatformConfig | undefined =>
  platformConfig.get(platformConfigName, systemNamespace)

/** Wakes the platform's workflow in the background. */
export function wakePlatform({ wakes }: Needs, reason: string, call: { caller: Caller; requestId: string }): void {
  wakes.wake('platform', platformConfigName, { reason, ...askedBy(call) })
}
