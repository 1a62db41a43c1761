/**
 * Hands the scaling of a service to the serverless add-on and takes it back (docs/guides/sleep.md). Between any two of
 * these writes the service either has copies or can be woken by the add-on.
 */
import type { V1Deployment } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isNotFound } from '../../cluster/objects/errors.ts'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { hostOf } from '../../kinds/apps/hosts.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { wantedCopies } from '../../kinds/apps/assess/health.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { type Placing, sleepParts } from '../../kinds/apps/manifests/service.ts'
import { ownedLabels, wakeServiceName } from '../../kinds/apps/names.ts'
import { isKeptAwake, mayScale } from '../../kinds/apps/assess/sleep.ts'
import { mostAwake, scaledObject } from '../../kinds/apps/manifests/sleep.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { sleepTypes } from '../../kinds/meta/resource-types.ts'
import type { ActivityNeeds, CachedScaler } from '../context/needs.ts'
import { applyChild, removeChild } from '../kube/apply-child.ts'
import { fieldManager } from '../../kinds/meta/group.ts'
import { isAddOnFor, isAddOnServed } from './observe.ts'

/** The field manager of `spec.replicas` until the add-on writes it: svc's own manager must not own that field. */
const copiesManager = 'svc-sleep'

type Live = Sent<V1Deployment>

/** Whether the add-on scales the copies of the service. */
export async function maySleep(
  { client, placement }: Pick<ActivityNeeds, 'client' | 'placement'>,
  { metadata }: App,
  spec: AppSpec,
): Promise<boolean> {
  const addOn = await isAddOnFor(client, spec)
  return mayScale(spec, hostOf(metadata.name, spec, placement.autoHosts), addOn)
}

/**
 * Applies route and Service, so that requests go through the interceptor before the add-on may stop the last copy.
 */
export async function routeToInterceptor(needs: ActivityNeeds, spec: AppSpec, placing: Placing): Promise<void> {
  const { route, service } = sleepParts(spec, placing, needs.placement.sleep, 0)
  const [written] = await Promise.all([applyChild(needs, route, placing.uid), applyChild(needs, service, placing.uid)])
  needs.children.interceptorRoutes.put(written)
}

/**
 * Gives up svc's ownership of `spec.replicas` without resetting it: an apply that merely leaves the field out would set
 * it to 1. At least `least` copies run then. Resolves with the Deployment, undefined if there is none yet.
 */
export async function handOverCopies(
  { client }: ActivityNeeds,
  spec: AppSpec,
  { name, uid }: Pick<Placing, 'name' | 'uid'>,
  least: number,
): Promise<KubeObject | undefined> {
  const ref = { type: coreTypes.deployment, namespace: targetNamespace(spec), name }
  const live = await client.get<Live>(ref)
  if (live === undefined || live.metadata.labels?.[labels.owner] !== uid) return undefined
  const now = live.spec?.replicas ?? 1
  const wanted = Math.max(least, ownsCopies(live) ? Math.min(now, mostAwake(spec)) : now)
  return wanted === now && !ownsCopies(live) ? live : writeCopies(client, live, wanted)
}

/** Starts the copies of a Deployment that has none: an autoscaler by CPU does not scale a Deployment up from zero. */
export async function startCopies(
  { client }: ActivityNeeds,
  spec: AppSpec,
  deployment: KubeObject,
): Promise<KubeObject> {
  const live = deployment as Live // as the server answered the apply of it
  const wanted = wantedCopies(spec)
  return (live.spec?.replicas ?? 1) > 0 || wanted === 0 ? deployment : writeCopies(client, live, wanted)
}

const writeCopies = (client: ClusterClient, { metadata }: Live, replicas: number): Promise<KubeObject> =>
  client.apply<KubeObject>(
    coreTypes.deployment,
    {
      metadata: { name: metadata.name, namespace: metadata.namespace, resourceVersion: metadata.resourceVersion },
      spec: { replicas },
    },
    { manager: copiesManager, force: true },
  )

interface ManagedEntry {
  manager?: string
  operation?: string
  fieldsV1?: { 'f:spec'?: Record<string, unknown> }
}

function ownsCopies({ metadata }: Live): boolean {
  const entries = (metadata.managedFields ?? []) as ManagedEntry[] // by the API's definition
  return entries.some(
    ({ manager, operation, fieldsV1 }) =>
      manager === fieldManager && operation === 'Apply' && fieldsV1?.['f:spec']?.['f:replicas'] !== undefined,
  )
}

/** Applies the scaler, whose lower limit of copies is `least`: more than 0 while a deploy is verified or sleep ends. */
export async function applyScaler(
  needs: ActivityNeeds,
  { metadata: { name, uid = '' } }: App,
  spec: AppSpec,
  least: number,
): Promise<void> {
  const { project, environment } = spec
  const meta = { name, namespace: targetNamespace(spec), labels: ownedLabels({ name, uid, project, environment }) }
  needs.children.scaledObjects.put(await applyChild(needs, scaledObject(meta, spec, needs.placement.sleep, least), uid))
}

/** After an attempt: as `letSleep`, if the add-on scales the copies. */
export async function letSleepIfMay(needs: ActivityNeeds, app: App, spec: AppSpec): Promise<void> {
  if (await maySleep(needs, app, spec)) await letSleep(needs, app, spec)
}

/** For copies that the add-on scales: lowers the scaler's limit to 0, so that the add-on may stop the last one. */
export async function letSleep(needs: ActivityNeeds, app: App, spec: AppSpec): Promise<void> {
  try {
    await applyScaler(needs, app, spec, 0)
  } catch (error) {
    // The add-on is being uninstalled; the watch wakes the service for that, and its run takes scaling back.
    if (!isNotFound(error)) throw error
  }
}

/** Lets a resting service sleep whose scaler still keeps a copy, which an earlier pass left so. See `isKeptAwake`. */
export async function sleepIfKeptAwake(needs: ActivityNeeds, app: App, spec: AppSpec): Promise<void> {
  const { name, uid } = app.metadata
  const ref = { type: sleepTypes.scaler, namespace: targetNamespace(spec), name }
  const live = await needs.client.get<CachedScaler>(ref)
  if (live?.metadata.labels?.[labels.owner] === uid && isKeptAwake(true, live)) await letSleep(needs, app, spec)
}

/** Before svc takes scaling back: raises the scaler's lower limit, so that the add-on starts copies and stops none. */
export async function stayAwake(needs: ActivityNeeds, app: App, spec: AppSpec): Promise<void> {
  if (await isAddOnServed(needs.client)) await applyScaler(needs, app, spec, Math.max(1, wantedCopies(spec)))
}

/** Once requests go to the copies directly. The scaler goes first, before svc's own autoscaler scales the copies. */
export async function removeSleepParts({ client }: ActivityNeeds, { metadata }: App, spec: AppSpec): Promise<void> {
  const { name, uid = '' } = metadata
  const namespace = targetNamespace(spec)
  await removeChild(client, sleepTypes.scaler.kind, namespace, name, uid)
  await removeChild(client, sleepTypes.route.kind, namespace, name, uid)
  await removeChild(client, 'Service', namespace, wakeServiceName(name, uid), uid)
}
