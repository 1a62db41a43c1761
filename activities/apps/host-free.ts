/**
 * Whether a service's hosts are its own, and what is done while one is not: no route of it leads to the service
 * (docs/ownership.md).
 */
import type { V1Ingress } from '@kubernetes/client-node'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { claimsOf, hostTroubles, type LostHost, lostHosts } from '../../kinds/apps/hosts.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/place.ts'
import { sleepTypes } from '../../kinds/meta/resource-types.ts'
import { reservedHosts } from '../../kinds/platform/address.ts'
import { readConfig } from '../../records/settings/platform-config.ts'
import type { Wait } from '../context/environment-ready.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { hostRules } from './observe.ts'
import { defined } from '../../contract/defined.ts'

type Ingress = Sent<V1Ingress>
type InterceptorRoute = KubeObject & { spec?: { rules?: { hosts?: string[] }[] } }

/** Undefined when all of its hosts are its own; else its routes for the others are gone when this ends. */
export async function awaitHosts(
  needs: ActivityNeeds,
  app: App,
  spec: AppSpec,
): Promise<Wait<'HostTaken'> | undefined> {
  const asking = { ...app, spec }
  const claims = claimsOf(asking, needs.placement.autoHosts)
  if (claims.length === 0) return undefined
  // Live: a service that asks for the dashboard's host would be sent passwords for as long as a cache is behind.
  // What the cache has beside it counts, too: a look finds that lost, and would send the rollout back here at once.
  const rules = hostRules(needs)
  const reserved = [...reservedHosts((await readConfig(needs))?.spec), ...rules.reserved]
  const lost = lostHosts(asking, claims, { ...rules, reserved })
  const [first] = lost
  if (first === undefined) return undefined
  await dropRoutes(needs, app, spec, lost)
  return { reason: 'HostTaken', message: `host ${first.host} ${hostTroubles[first.trouble]}` }
}

/**
 * Removes the routes for hosts that are not the service's, also where it ran before a move. Written on condition of
 * what was read: a conflict is tried again by Temporal.
 */
export async function dropRoutes(
  { client }: ActivityNeeds,
  { metadata, status }: App,
  spec: AppSpec,
  lost: readonly LostHost[],
): Promise<void> {
  const hosts = lost.map(({ host }) => host)
  for (const namespace of new Set([targetNamespace(spec), ...(status?.leaving ?? [])])) {
    const ref = { type: coreTypes.ingress, namespace, name: metadata.name }
    const live = await client.get<Ingress>(ref)
    if (live === undefined || live.metadata.labels?.[labels.owner] !== metadata.uid) continue
    const left = withoutHosts(live, hosts)
    if (left === live) continue
    if (left === undefined) await client.delete(ref, defined({ uid: live.metadata.uid }))
    else await client.replace(coreTypes.ingress, left)
  }
  await dropInterceptorRoute(client, metadata, targetNamespace(spec), hosts)
}

/** The interceptor would go on to lead requests for a lost host here, though the Ingress of another service has it. */
async function dropInterceptorRoute(
  client: ActivityNeeds['client'],
  { name, uid }: App['metadata'],
  namespace: string,
  lost: readonly string[],
): Promise<void> {
  const ref = { type: sleepTypes.route, namespace, name }
  const live = await client.get<InterceptorRoute>(ref)
  if (live === undefined || live.metadata.labels?.[labels.owner] !== uid) return
  const all = (live.spec?.rules ?? []).flatMap((rule) => rule.hosts ?? [])
  const kept = all.filter((host) => !lost.includes(host))
  if (kept.length === all.length) return
  if (kept.length === 0) return void (await client.delete(ref, defined({ uid: live.metadata.uid })))
  const { [annotations.applied]: _, ...notes } = live.metadata.annotations ?? {}
  await client.replace(sleepTypes.route, {
    ...live,
    metadata: { ...live.metadata, annotations: notes },
    spec: { ...live.spec, rules: [{ hosts: kept }] },
  })
}

/** The very same when it has none of them, undefined when it has nothing else. */
function withoutHosts(live: Ingress, hosts: readonly string[]): Ingress | undefined {
  const { rules = [], tls = [], ...spec } = live.spec ?? {}
  const kept = rules.filter(({ host = '' }) => !hosts.includes(host))
  if (kept.length === rules.length) return live
  if (kept.length === 0) return undefined
  const secured = tls.map((entry) => ({ ...entry, hosts: (entry.hosts ?? []).filter((host) => !hosts.includes(host)) }))
  // Without the digest of what was applied, so that the whole of it is applied again once the hosts are free.
  const { [annotations.applied]: _, ...notes } = live.metadata.annotations ?? {}
  return {
    ...live,
    metadata: { ...live.metadata, annotations: notes },
    spec: { ...spec, rules: kept, tls: secured.filter((entry) => entry.hosts.length > 0) },
  }
}
