/** The clients, caches and settings of the platform's activities; the worker passes them in. */
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { DashboardService } from '../../kinds/platform/dashboard-ingress.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import type { NameLookup } from '../../outside/domain/resolver.ts'
import type { Account, ProviderApi } from '../../outside/dns-provider/call.ts'
import type { RecordStore } from '../../records/store/record-store.ts'
import type { PlacementSettings } from '../context/needs.ts'

/** How requests reach this install, from the worker's environment variables. */
export interface ExposureSettings {
  /** Addresses for the DNS records of hosts; found on the cluster if empty. */
  publicAddresses: readonly string[]
  /** The Service in front of the ingress controller. */
  ingressService: { namespace: string; name: string }
  /** The Service of the dashboard; undefined if a proxy outside of the cluster leads to the dashboard. */
  dashboardService: DashboardService | undefined
  /** Image of the tunnel's connector. */
  tunnelImage: string
}

export interface PlatformNeeds {
  client: ClusterClient
  config: RecordStore<PlatformConfig>
  apps: Pick<ResourceCache<App>, 'list'>
  nodes: Pick<ResourceCache<AddressedNode>, 'list'>
  placement: PlacementSettings
  exposure: ExposureSettings
  lookup: NameLookup
  /** Why the address does not answer the probe; undefined when it does. */
  probe: (url: string, tryMs: number, signal: AbortSignal) => Promise<string | undefined>
  provider: (account: Account) => ProviderApi
  now: () => Date
}

/** A node with its addresses. */
export type AddressedNode = KubeObject & { status?: { addresses?: readonly { type: string; address: string }[] } }
