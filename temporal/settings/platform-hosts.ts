/** The hosts of the platform among the settings by which objects of services are made. */
import type { PlacementSettings } from '../../activities/context/needs.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { reservedHosts } from '../../kinds/platform/address.ts'
import { platformHosts } from '../../kinds/platform/plan.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import type { WorkerCaches } from '../caches/worker-caches.ts'

/**
 * The settings with the hosts that are reserved for the platform, and with the domain of generated hosts: the
 * platform's own domain once its DNS provider is ready, else that of the install's settings.
 */
export function withPlatformHosts(
  placement: PlacementSettings,
  { platformConfig }: Pick<WorkerCaches, 'platformConfig'>,
): PlacementSettings {
  return {
    ...placement,
    get autoHosts() {
      return platformHosts(platformConfig.get(platformConfigName, systemNamespace)) ?? placement.autoHosts
    },
    get reservedHosts() {
      return reservedHosts(platformConfig.get(platformConfigName, systemNamespace)?.spec)
    },
  }
}
