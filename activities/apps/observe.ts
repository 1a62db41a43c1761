/**
 * The objects of a service on the cluster, in the form that the rules take (kinds/apps/assess/judge.ts): from the
 * caches, as the watch reads them, and live where a look must not miss a write of a moment ago.
 */
import type { ClusterClient } from '../../cluster/client.ts'
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { type AppliedKind, appliedKinds, type Made, type PartKind } from '../../kinds/apps/assess/health.ts'
import type { HostRules } from '../../kinds/apps/hosts.ts'
import type { Observed, Snapshot } from '../../kinds/apps/assess/judge.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { volumeClaimName, wakeServiceName } from '../../kinds/apps/names.ts'
import type { SleepParts } from '../../kinds/apps/assess/sleep.ts'
import type { ServiceView } from '../../kinds/apps/view.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { definitionOf, sleepTypes } from '../../kinds/meta/resource-types.ts'
import { choiceKey, nodeChoiceOf } from '../../kinds/placement/node-choice.ts'
import type { ActivityNeeds, CachedDeployment, ChildCaches } from '../context/needs.ts'
import type { LookInput } from './messages.ts'

/** The record's part of an observation. */
type Asked = Pick<Observed, 'view' | 'spec' | 'isResting'>

/** The Deployment is at least as new as the pass before left it, else read live; most other objects are cached. */
export async function snapshotOf(
  needs: ActivityNeeds,
  { view, spec, isResting }: Asked,
  { deployment, applied = view.app.status?.applied }: LookInput,
): Promise<Snapshot> {
  const { client, children, projects, deployments } = needs
  const { app, namespace } = view
  const { name, uid = '' } = app.metadata
  return {
    // An older Deployment could show ready copies of the previous spec.
    deployment:
      children.deployments.getSince(deployment, name, namespace) ??
      (await client.get<CachedDeployment>({ type: coreTypes.deployment, namespace, name })),
    addOn: await isAddOnFor(client, spec),
    pods: children.pods.by('owner', uid),
    hosts: hostRules(needs),
    history: deployments.cache,
    made: madeFor(children, view),
    applied,
    ...(isResting
      ? {
          sleep: await sleepPartsOf(needs, app, namespace),
          // The project that the copies run in: it differs from the record's while a saved move is not deployed.
          nodes: choiceKey(nodeChoiceOf(await projects.read(spec.project))),
        }
      : {}),
  }
}

/** Which cache holds the objects of a kind. */
export const cacheOf = {
  Deployment: 'deployments',
  ServiceAccount: 'serviceAccounts',
  Service: 'services',
  Ingress: 'ingresses',
  HorizontalPodAutoscaler: 'autoscalers',
  PodDisruptionBudget: 'disruptionBudgets',
  PersistentVolumeClaim: 'volumeClaims',
} as const satisfies Record<AppliedKind | PartKind, keyof ChildCaches>

/** The objects made for a service, from the caches. */
export function madeFor(children: ChildCaches, { app, effectiveSpec, namespace }: ServiceView): Made {
  const { name } = app.metadata
  const made = appliedKinds.map((kind) => [kind, children[cacheOf[kind]].get(name, namespace)] as const)
  if (effectiveSpec?.volume === undefined) return Object.fromEntries(made)
  const claim = children.volumeClaims.get(volumeClaimName(name), namespace)
  return { ...Object.fromEntries(made), PersistentVolumeClaim: claim }
}

/** The rules of who owns a host; the services that claim hosts are those in the cache. */
export const hostRules = ({ apps, placement }: ActivityNeeds): HostRules => ({
  auto: placement.autoHosts,
  reserved: placement.reservedHosts ?? [],
  services: apps.cache,
})

/**
 * Whether the cluster serves the kinds of the add-on; read live, since a service must not sleep without an add-on that
 * wakes it.
 */
export async function isAddOnServed(client: ClusterClient): Promise<boolean> {
  const found = await Promise.all(
    Object.values(sleepTypes).map((type) =>
      client.get<KubeObject>({ type: coreTypes.customResourceDefinition, name: definitionOf(type) }),
    ),
  )
  return found.every((definition) => definition !== undefined && definition.metadata.deletionTimestamp === undefined)
}

/** Whether sleep-when-idle is on and the cluster serves the add-on, which is only looked up for such a service. */
export const isAddOnFor = async (client: ClusterClient, { scaleToZero }: AppSpec): Promise<boolean> =>
  scaleToZero.enabled && (await isAddOnServed(client))

/**
 * Which sleep objects the service has. They are read live if sleep-when-idle is or was on; one that is being deleted
 * counts as gone.
 */
export async function sleepPartsOf(
  { client, children }: Pick<ActivityNeeds, 'client' | 'children'>,
  { metadata: { name, uid }, spec, status }: App,
  namespace: string,
): Promise<SleepParts> {
  const isLive = spec.scaleToZero.enabled || status?.scaleToZero !== undefined
  const has = async (type: ResourceType, cache: ResourceCache<KubeObject>, of = name): Promise<boolean> => {
    const found = isLive ? await client.get<KubeObject>({ type, namespace, name: of }) : cache.get(of, namespace)
    return found?.metadata.labels?.[labels.owner] === uid && found?.metadata.deletionTimestamp === undefined
  }
  const [route, scaler, service] = await Promise.all([
    has(sleepTypes.route, children.interceptorRoutes),
    has(sleepTypes.scaler, children.scaledObjects),
    has(coreTypes.service, children.services, wakeServiceName(name, uid ?? '')),
  ])
  return { route, scaler, service }
}
