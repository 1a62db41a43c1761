/** Puts one object of a service onto the cluster by server-side apply; never touches what another record owns. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { isConflict } from '../../cluster/objects/errors.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { postgresCluster, sleepTypes } from '../../kinds/meta/resource-types.ts'
import { digest } from '../../kinds/meta/digest.ts'
import type { ActivityNeeds, ChildCaches } from '../context/needs.ts'
import { defined } from '../../contract/defined.ts'

/** The field manager of everything the worker applies. */
export const fieldManager = 'svc'

/** The version of an etcd in which nothing was ever written, so that no object has it. */
const versionOfNone = '1'

/** An object of this name exists and belongs to another owner: refused, not adopted (docs/ownership.md). */
export class OwnershipConflict extends Error {
  constructor(kind: string, namespace: string, name: string) {
    super(
      `${kind} ${name} in namespace ${namespace} belongs to another owner; rename the service or remove that object`,
    )
    this.name = 'OwnershipConflict'
  }
}

interface Child {
  type: ResourceType
  /** The cache that holds it; one that is there and unchanged is not applied. */
  cache?: Exclude<keyof ChildCaches, 'namespaces' | 'pods' | 'deployments' | 'connectionSecrets' | 'sleepKinds'>
}

const children: Record<string, Child> = {
  ServiceAccount: { type: coreTypes.serviceAccount, cache: 'serviceAccounts' },
  ConfigMap: { type: coreTypes.configMap },
  Secret: { type: coreTypes.secret },
  // Applied in any case, since nothing but that finds an edit of its fields by another writer.
  Deployment: { type: coreTypes.deployment },
  Service: { type: coreTypes.service, cache: 'services' },
  Ingress: { type: coreTypes.ingress, cache: 'ingresses' },
  HorizontalPodAutoscaler: { type: coreTypes.horizontalPodAutoscaler, cache: 'autoscalers' },
  PodDisruptionBudget: { type: coreTypes.podDisruptionBudget, cache: 'disruptionBudgets' },
  // Uncached: while the add-on comes and goes, its caches look for its kinds twice a minute.
  InterceptorRoute: { type: sleepTypes.route },
  // Uncached: how few copies may run is changed around each attempt, also by a worker that died since.
  ScaledObject: { type: sleepTypes.scaler },
  // Uncached: passes that read it are rare, and what bounds an environment must not be taken as there from the cache.
  NetworkPolicy: { type: coreTypes.networkPolicy },
}

/** What servers are made of, databases and the object server, and what bounds an environment. */
const serverParts: Record<string, Child> = {
  PersistentVolumeClaim: { type: coreTypes.persistentVolumeClaim },
  StatefulSet: { type: coreTypes.statefulSet },
  Cluster: { type: postgresCluster },
  LimitRange: { type: coreTypes.limitRange },
  ResourceQuota: { type: coreTypes.resourceQuota },
}

export interface ChildManifest {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace: string; labels: Record<string, string>; annotations?: Record<string, string> }
}

interface ChildApplying {
  /** The object as a cache has it, which spares the read. */
  known?: KubeObject | undefined
  /** False where another worker may have written it a moment ago: the cluster is asked whatever a cache says. */
  trustsCache?: boolean
  /** Nothing of the owner's was ever applied: the object is made without a read before. */
  isNew?: boolean
}

/**
 * Applies the manifest unless the cluster already has exactly it. Carries the resourceVersion it read, so that a late
 * write of a superseded attempt meets a conflict (isConflict); what is new meets one wherever an object of its name is
 * there. Throws OwnershipConflict for an object with another owner's uid.
 */
export async function applyChild(
  needs: ActivityNeeds,
  manifest: ChildManifest,
  owner: string,
  { known, trustsCache = true, isNew = false }: ChildApplying = {},
): Promise<KubeObject> {
  const { name, namespace } = manifest.metadata
  const { type, cache } = childOf(manifest.kind)
  const wanted = digest(manifest)
  const cached = cache === undefined || !trustsCache ? undefined : needs.children[cache].get(name, namespace)
  if (cached !== undefined && isOwn(cached, owner) && cached.metadata.annotations?.[annotations.applied] === wanted)
    return cached
  const readOwn = async (): Promise<KubeObject | undefined> => {
    const found = await needs.client.get<KubeObject>({ type, namespace, name })
    if (found !== undefined && !isOwn(found, owner)) throw new OwnershipConflict(manifest.kind, namespace, name)
    return found
  }
  const isKnown = known !== undefined && isOwn(known, owner)
  const live = isKnown ? known : isNew ? noneOf(manifest) : await readOwn()
  // Immutable objects are named after their release: there is nothing to change in them.
  if (live !== undefined && !isNew && (manifest.kind === 'ConfigMap' || manifest.kind === 'Secret')) return live
  const object = {
    ...manifest,
    metadata: {
      ...manifest.metadata,
      annotations: { ...manifest.metadata.annotations, [annotations.applied]: wanted },
    },
  }
  const applied = await needs.client
    .apply<KubeObject>(type, onConditionOf(live, object), { manager: fieldManager, force: true })
    .catch(async (error: unknown) => {
      // Whose it is decides whether that is refused for good. What is its own after all is for a pass that knows of it.
      if (isNew && isConflict(error)) await readOwn()
      throw error
    })
  // Before the watch has it: the next pass may want it otherwise, and must not take the one before for what is there.
  if (cache !== undefined) needs.children[cache].put(headOf(applied))
  return applied
}

/** The manifest, to be applied only as long as the object is the one that was read, where there was one. */
export function onConditionOf<M extends { metadata?: object }>(live: KubeObject | undefined, manifest: M): M {
  const condition = defined({ resourceVersion: live?.metadata.resourceVersion })
  return { ...manifest, metadata: { ...manifest.metadata, ...condition } }
}

/** An apply on condition of this makes the object, and meets a conflict where there is one. */
const noneOf = ({ apiVersion, kind, metadata: { name } }: ChildManifest): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, resourceVersion: versionOfNone },
})

/** What these caches hold. */
const headOf = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({ apiVersion, kind, metadata })

/** Removes an object of a service if it is there and belongs to it. */
export async function removeChild(
  client: ClusterClient,
  kind: string,
  namespace: string,
  name: string,
  owner: string,
): Promise<void> {
  const { type } = childOf(kind)
  const live = await client.get<KubeObject>({ type, namespace, name })
  if (live === undefined || !isOwn(live, owner) || live.metadata.deletionTimestamp !== undefined) return
  await client.delete({ type, namespace, name }, { ...defined({ uid: live.metadata.uid }), propagation: 'Background' })
}

/** Every kind of object a service may have. */
export const childKinds = Object.keys(children)

export function childOf(kind: string): Child {
  const child = children[kind] ?? serverParts[kind]
  if (child === undefined) throw new Error(`svc applies no objects of kind ${kind}`)
  return child
}

function isOwn(object: KubeObject, owner: string): boolean {
  return object.metadata.labels?.[labels.owner] === owner
}
