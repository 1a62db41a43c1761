/**
 * Hands the copies of a service to the serverless add-on and takes them back (docs/guides/sleep.md). In every moment
 * between two of these writes either the add-on can wake the service, or it has copies.
 */
import type { V1Deployment } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isNotFound } from '../../cluster/objects/errors.ts'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { hostOf } from '../../kinds/apps/hosts.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { wantedCopies } from '../../kinds/apps/health.ts'
import { targetNamespace } from '../../kinds/apps/place.ts'
import { type Placing, sleepParts } from '../../kinds/apps/manifests.ts'
import { ownedLabels, wakeServiceName } from '../../kinds/apps/names.ts'
import { isKeptAwake, mayScale } from '../../kinds/apps/sleep.ts'
import { mostAwake, scaledObject } from '../../kinds/apps/sleep-manifests.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { sleepTypes } from '../../kinds/meta/resource-types.ts'
import type { ActivityNeeds, CachedScaler } from '../context/needs.ts'
import { applyChild, fieldManager, removeChild } from '../kube/apply-child.ts'
import { isAddOnFor, isAddOnServed } from './observe.ts'

/** Holds the number of copies until the add-on writes it: the manager of all else must not own it. */
const copiesManager = 'svc-sleep'

type Live = Sent<V1Deployment>

/** Whether the copies of the service are the add-on's to scale. */
export async function maySleep(
  { client, placement }: Pick<ActivityNeeds, 'client' | 'placement'>,
  { metadata }: App,
  spec: AppSpec,
): Promise<boolean> {
  const addOn = await isAddOnFor(client, spec)
  return mayScale(spec, hostOf(metadata.name, spec, placement.autoHosts), addOn)
}

/**
 * Applies route and Service, so that requests go through the interceptor before anything may take the last copy away.
 */
export async function routeToInterceptor(needs: ActivityNeeds, spec: AppSpec, placing: Placing): Promise<void> {
  const { route, service } = sleepParts(spec, placing, needs.placement.sleep, 0)
  const [written] = await Promise.all([applyChild(needs, route, placing.uid), applyChild(needs, service, placing.uid)])
  needs.children.interceptorRoutes.put(written)
}

/**
 * Releases the number of copies without changing it: an apply that merely leaves the number out would make it one. At
 * least `least` run then. The Deployment as it is then; undefined where there is none yet.
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

/** Where svc does not write their number: an autoscaler by CPU leaves a Deployment alone that has no copy. */
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

/** Says how few copies may run: none, or `least` while a deploy is verified or sleep ends. */
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

/** After an attempt: from then on the last copy may go. */
export async function letSleep(needs: ActivityNeeds, app: App, spec: AppSpec): Promise<void> {
  if (!(await maySleep(needs, app, spec))) return
  try {
    await applyScaler(needs, app, spec, 0)
  } catch (error) {
    // The add-on goes at this moment; the watch sees that and takes the copies back.
    if (!isNotFound(error)) throw error
  }
}

/** Lets one that is still kept awake sleep: at rest, whatever the passes before came to. See `isKeptAwake`. */
export async function sleepIfKeptAwake(needs: ActivityNeeds, app: App, spec: AppSpec): Promise<void> {
  const { name, uid } = app.metadata
  const ref = { type: sleepTypes.scaler, namespace: targetNamespace(spec), name }
  const live = await needs.client.get<CachedScaler>(ref)
  if (live?.metadata.labels?.[labels.owner] === uid && isKeptAwake(true, live)) await letSleep(needs, app, spec)
}

/** Before the copies are taken back: nothing takes them away any more, and the add-on itself starts what is missing. */
export async function stayAwake(needs: ActivityNeeds, app: App, spec: AppSpec): Promise<void> {
  if (await isAddOnServed(needs.client)) await applyScaler(needs, app, spec, Math.max(1, wantedCopies(spec)))
}

/** Once requests go to the copies themselves. The scaler goes first: two would scale the copies otherwise. */
export async function removeSleepParts({ client }: ActivityNeeds, { metadata }: App, spec: AppSpec): Promise<void> {
  const { name, uid = '' } = metadata
  const namespace = targetNamespace(spec)
  await removeChild(client, sleepTypes.scaler.kind, namespace, name, uid)
  await removeChild(client, sleepTypes.route.kind, namespace, name, uid)
  await removeChild(client, 'Service', namespace, wakeServiceName(name, uid), uid)
}
