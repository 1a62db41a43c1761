/** The `platform` part of `bootstrap`: the state and the abilities of this install. */
import { canMutate, canReadSensitive, type Caller } from '../../contract/caller.ts'
import type { View } from '../../contract/operations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { regionOf } from '../../kinds/placement/node-tags.ts'
import { dashboardUrlOf } from '../../kinds/platform/address.ts'
import { checkedOf } from '../../kinds/platform/conditions.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { defaultStorage, type Caches } from '../context/caches.ts'
import { freeCapacity } from '../context/free-capacity.ts'
import { isReady, type NodeSeen } from '../context/trim.ts'
import { defined } from '../../contract/defined.ts'

type Summary = View<'platform.bootstrap'>['platform']

export function summarise(caches: Caches, caller: Caller): Summary {
  const config = caches.platformConfig.list()[0]
  const spec = config?.spec
  const readiness = caches.haReadiness.list()[0]?.status
  const providers = caches.cloudConnections.list().map((connection) => connection.spec.provider)
  const storage = defaultStorage(caches)
  const expandable = storage?.allowVolumeExpansion === true
  return {
    hasDashboardURL: dashboardUrlOf(spec) !== undefined,
    hasGitHubApp: spec?.githubAppRef !== undefined,
    hasCloudflare: spec?.cloudflareConnectionRef !== undefined,
    cloudflareReady: checkedOf(config, 'CloudflareReady', spec?.cloudflareConnectionRef !== undefined, {
      reason: 'NotConnected',
      message: '',
    }).ready,
    dashboardURL: dashboardUrlOf(spec) ?? '',
    haReady: readiness?.ready === true,
    healthyNodes: caches.nodes.list().filter(isReady).length,
    awsAvailable: providers.includes('AWS'),
    planetScaleAvailable: providers.includes('PlanetScale'),
    minioAvailable: caches.objectStores
      .list()
      .some((store) => (store.spec.project ?? '') === '' && readyOf(store.status?.conditions)?.status === 'True'),
    capacity: freeCapacity(caches),
    defaultRegion: commonRegion(caches.nodes.list()),
    storageExpandable: expandable,
    fixedSizeDatabases: !expandable,
    defaultStorage: storage?.metadata.name ?? '',
    session: describeCaller(caller),
    ...(caller.role === 'admin' ? zoneOf(config) : {}),
  }
}

/** The zone's name in the status is that of the last checked zone; a newer setting may have another one. */
function zoneOf(config: PlatformConfig | undefined): Pick<Summary, 'cloudflareZoneId' | 'cloudflareZoneName'> {
  const seen = config?.status?.dns
  const cloudflareZoneId = config?.spec.cloudflareZoneID ?? seen?.zoneID ?? ''
  return { cloudflareZoneId, cloudflareZoneName: seen?.zoneID === cloudflareZoneId ? (seen.zoneName ?? '') : '' }
}

export const runningPods = ({ pods }: Caches): number =>
  pods.list().filter(({ status }) => status?.phase === 'Running').length

/** The region of most nodes; empty when they have none. */
function commonRegion(nodes: readonly NodeSeen[]): string {
  const counts = new Map<string, number>()
  for (const region of nodes.map(regionOf)) if (region !== '') counts.set(region, (counts.get(region) ?? 0) + 1)
  return [...counts].sort(([a, n], [b, m]) => m - n || a.localeCompare(b))[0]?.[0] ?? ''
}

/** A caller as `GET /me` shows it. */
export function describeCaller(caller: Caller): View<'platform.me'> {
  const { username, role, scope, project, environment, expiresAt } = caller
  return {
    username,
    role,
    canMutate: canMutate(caller),
    canReadSensitive: canReadSensitive(caller),
    authentication: caller.kind === 'token' ? 'token' : 'session',
    ...(scope === undefined ? {} : { scope, expiresAt: expiresAt ?? null }),
    ...defined({ project, environment }),
  }
}
