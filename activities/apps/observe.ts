/**
 * What the cluster has of a service, in the form that the rules over it take (kinds/apps/judge.ts): by the caches, as
 * the watch takes it, and live where a look must not miss what a moment ago was written.
 */
import type { ClusterClient } from '../../cluster/client.ts'
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { type AppliedKind, appliedKinds, type Made, type PartKind } from '../../kinds/apps/health.ts'
import type { HostRules } from '../../kinds/apps/hosts.ts'
import type { Observed, Snapshot } from '../../kinds/apps/judge.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { volumeClaimName, wakeServiceName } from '../../kinds/apps/names.ts'
import type { SleepParts } from '../../kinds/apps/sleep.ts'
import type { ServiceView } from '../../kinds/apps/view.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { definitionOf, sleepTypes } from '../../kinds/meta/resource-types.ts'
import { choiceKey, nodeChoiceOf } from '../../kinds/placement/node-choice.ts'
import type { ActivityNeeds, CachedDeployment, ChildCaches } from '../context/needs.ts'
import type { LookInput } from './messages.ts'

/** What a service is looked at for. */
type Asked = Pick<Observed, 'view' | 'spec' | 'isResting'>

/** The Deployment no older than the pass before left it, or live without one; pods and all else from the cache. */
export async function snapshotOf(
  needs: ActivityNeeds,
  { view, spec, isResting }: Asked,
  { deployment, applied = view.app.status?.applied }: LookInput,
): Promise<Snapshot> {
  const { client, children, projects } = needs
  const { app, namespace } = view
  const { name, uid = '' } = app.metadata
  return {
    // One that is older could show the copies of the spec before as ready.
    deployment:
      children.deployments.getSince(deployment, name, namespace) ??
      (await client.get<CachedDeployment>({ type: coreTypes.deployment, namespace, name })),
    addOn: await isAddOnFor(client, spec),
    pods: children.pods.by('owner', uid),
    hosts: hostRules(needs),
    made: madeFor(children, view),
    applied,
    ...(isResting
      ? {
          sleep: await sleepPartsOf(needs, app, namespace),
          // Of the project that the copies are in, another one than the record's while a move is saved, not deployed.
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

/** What the caches have of what was made for a service. */
export function madeFor(children: ChildCaches, { app, effectiveSpec, namespace }: ServiceView): Made {
  const { name } = app.metadata
  const made = appliedKinds.map((kind) => [kind, children[cacheOf[kind]].get(name, namespace)] as const)
  if (effectiveSpec?.volume === undefined) return Object.fromEntries(made)
  const claim = children.volumeClaims.get(volumeClaimName(name), namespace)
  return { ...Object.fromEntries(made), PersistentVolumeClaim: claim }
}

/** With the services that ask for a host by the cache. */
export const hostRules = ({ apps, placement }: ActivityNeeds): HostRules => ({
  auto: placement.autoHosts,
  reserved: placement.reservedHosts ?? [],
  services: apps.cache,
})

/**
 * Whether the cluster serves the kinds of the add-on; asked live, since a service that nothing wakes must not sleep.
 */
export async function isAddOnServed(client: ClusterClient): Promise<boolean> {
  const found = await Promise.all(
    Object.values(sleepTypes).map((type) =>
      client.get<KubeObject>({ type: coreTypes.customResourceDefinition, name: definitionOf(type) }),
    ),
  )
  return found.every((definition) => definition !== undefined && definition.metadata.deletionTimestamp === undefined)
}

/** A service has to have sleep-when-idle on for the add-on to be asked for. */
export const isAddOnFor = async (client: ClusterClient, { scaleToZero }: AppSpec): Promise<boolean> =>
  scaleToZero.enabled && (await isAddOnServed(client))

/**
 * What the service has for its sleep. Live where sleep-when-idle is or was on; what is being deleted counts as gone.
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
