/**
 * Wakes the workflow of the platform's configuration when the record, the hosts of services or the nodes' addresses
 * have changed.
 */
import { nodeAddresses } from '../../activities/platform/public-addresses.ts'
import { publishedHosts } from '../../activities/platform/published-hosts.ts'
import type { ChildCaches } from '../../activities/context/needs.ts'
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { conditionOf } from '../../kinds/meta/conditions.ts'
import { digest } from '../../kinds/meta/digest.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { dashboardIngressName } from '../../kinds/platform/dashboard-ingress.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { asksForCheck, asksForDns, dnsIntent, isConnected } from '../../kinds/platform/plan.ts'
import { platformConfigName, tunnelObject } from '../../kinds/platform/settings.ts'
import { Debounce } from './debounce.ts'
import type { NodeHealth } from '../caches/readiness-caches.ts'
import type { WakeQueue } from './wake-queue.ts'

export interface PlatformWatched {
  platformConfig: ResourceCache<PlatformConfig>
  apps: ResourceCache<App>
  nodes: ResourceCache<NodeHealth>
  children: ChildCaches
}

/**
 * Compares once at the start, to find changes from while no worker ran. The same intent wakes only once. Returns the
 * function that stops the watch.
 */
export function watchPlatform(caches: PlatformWatched, queue: WakeQueue): () => void {
  let woken: string | undefined
  const wake = (reason: string) => queue.add('platform', platformConfigName, { reason })
  const check = (_key: string, trailing: boolean) => {
    const asked = openWorkOf(caches)
    if (asked === undefined || asked === woken) {
      woken = asked
      return
    }
    if (!trailing) {
      debounce.later(platformConfigName) // the api that wrote it sends its own wake
      return
    }
    woken = asked
    wake('the record asks for something new')
  }
  const debounce = new Debounce(check)
  const touch = () => debounce.touch(platformConfigName)
  /** Events of the platform's own objects: every deletion wakes, other changes only while the provider is not ready. */
  const ofOwn = (names: readonly string[]) => (event: { type: string; object: KubeObject }) => {
    const { name, namespace } = event.object.metadata
    if (namespace !== systemNamespace || !names.includes(name)) return
    const config = caches.platformConfig.get(platformConfigName, systemNamespace)
    const isReady = conditionOf(config?.status?.conditions, 'CloudflareReady')?.status === 'True'
    if (event.type === 'delete' || !isReady) wake(`${event.object.kind} ${name} changed`)
  }
  const stops = [
    caches.platformConfig.onChange(({ type, object }) => {
      if (type === 'delete' && object.metadata.name === platformConfigName) wake('the configuration is gone')
      touch()
    }),
    caches.apps.onChange(touch),
    caches.nodes.onChange(touch),
    caches.children.deployments.onChange(ofOwn([tunnelObject])),
    caches.children.ingresses.onChange(ofOwn([dashboardIngressName])),
  ]
  check(platformConfigName, true)
  return () => {
    for (const stop of stops) stop()
    debounce.stop()
  }
}

/** A key of what the configuration asks for and no pass has finished yet; undefined if there is nothing. */
function openWorkOf({ platformConfig, apps, nodes }: PlatformWatched): string | undefined {
  const config = platformConfig.get(platformConfigName, systemNamespace)
  if (config === undefined) return undefined
  const needs = isConnected(config)
    ? { hosts: publishedHosts(apps.list(), config), addresses: nodeAddresses(nodes.list()) }
    : { hosts: [], addresses: [] }
  if (!asksForCheck(config) && !asksForDns(config, needs)) return undefined
  return digest([dnsIntent(config, needs), config.metadata.generation])
}
