/**
 * Whether a service's hosts are its own. While a host is not, the service has no Ingress rule for it
 * (docs/ownership.md).
 */
import type { V1Ingress } from '@kubernetes/client-node'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { claimsOf, hostTroubles, type LostHost, lostHosts } from '../../kinds/apps/hosts.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { sleepTypes } from '../../kinds/meta/resource-types.ts'
import { reservedHosts } from '../../kinds/platform/address.ts'
import { readConfig } from '../../records/settings/platform-config.ts'
import type { Wait } from '../context/environment-ready.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { hostRules } from './observe.ts'
import { defined } from '../../contract/defined.ts'

type Ingress = Sent<V1Ingress>
type InterceptorRoute = KubeObject & { spec?: { rules?: { hosts?: string[] }[] } }

/** Undefined if all hosts of the service are its own; else removes its routes for the others and returns the wait. */
export async function awaitHosts(
  needs: ActivityNeeds,
  app: App,
  spec: AppSpec,
): Promise<Wait<'HostTaken'> | undefined> {
  const asking = { ...app, spec }
  const claims = claimsOf(asking, needs.placement.autoHosts)
  if (claims.length === 0) return undefined
  // Reserved hosts are read live: with a cache that is behind, a service that claims the dashboard's host would be sent
  // passwords. Hosts reserved by the cache count, too: a look goes by those, and would send the rollout back here.
  const rules = hostRules(needs)
  const reserved = [...reservedHosts((await readConfig(needs))?.spec), ...rules.reserved]
  const lost = lostHosts(asking, claims, { ...rules, reserved })
  const [first] = lost
  if (first === undefined) return undefined
  await dropRoutes(needs, app, spec, lost)
  return { reason: 'HostTaken', message: `host ${first.host} ${hostTroubles[first.trouble]}` }
}

/**
 * Removes the service's routes for hosts that it lost, also in the namespaces that it moves away from. Each write has
 * the resourceVersion that was read as its condition; Temporal retries the activity after a conflict.
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

/** Removes lost hosts from the interceptor's route: else requests come here though another Ingress has the host. */
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

/** The Ingress without rules for these hosts: the same object if it has none of them, undefined if no rule is left. */
function withoutHosts(live: Ingress, hosts: readonly string[]): Ingress | undefined {
  const { rules = [], tls = [], ...spec } = live.spec ?? {}
  const kept = rules.filter(({ host = '' }) => !hosts.includes(host))
  if (kept.length === rules.length) return live
  if (kept.length === 0) return undefined
  const secured = tls.map((entry) => ({ ...entry, hosts: (entry.hosts ?? []).filter((host) => !hosts.includes(host)) }))
  // Without the annotation of the applied digest, so that the whole Ingress is applied again once the hosts are free.
  const { [annotations.applied]: _, ...notes } = live.metadata.annotations ?? {}
  return {
    ...live,
    metadata: { ...live.metadata, annotations: notes },
    spec: { ...spec, rules: kept, tls: secured.filter((entry) => entry.hosts.length > 0) },
  }
}
