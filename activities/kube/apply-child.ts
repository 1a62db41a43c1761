/** Writes one object of a record to the cluster by server-side apply; never changes an object of another owner. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { isConflict } from '../../cluster/objects/errors.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { postgresCluster, sleepTypes } from '../../kinds/meta/resource-types.ts'
import { digest } from '../../kinds/meta/digest.ts'
import { fieldManager } from '../../kinds/meta/group.ts'
import type { ActivityNeeds, ChildCaches } from '../context/needs.ts'
import { defined } from '../../contract/defined.ts'

/** A resourceVersion that no object has: that of an etcd without any write. */
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
  /** The cache of the kind; a cached object that is as wanted is not applied. */
  cache?: Exclude<keyof ChildCaches, 'namespaces' | 'pods' | 'deployments' | 'connectionSecrets' | 'sleepKinds'>
}

const children: Record<string, Child> = {
  ServiceAccount: { type: coreTypes.serviceAccount, cache: 'serviceAccounts' },
  ConfigMap: { type: coreTypes.configMap },
  Secret: { type: coreTypes.secret },
  // Uncached and always applied: only an apply finds and reverts another writer's edit of its fields.
  Deployment: { type: coreTypes.deployment },
  Service: { type: coreTypes.service, cache: 'services' },
  Ingress: { type: coreTypes.ingress, cache: 'ingresses' },
  HorizontalPodAutoscaler: { type: coreTypes.horizontalPodAutoscaler, cache: 'autoscalers' },
  PodDisruptionBudget: { type: coreTypes.podDisruptionBudget, cache: 'disruptionBudgets' },
  // Uncached: while the add-on is installed or removed, its caches are up to half a minute behind.
  InterceptorRoute: { type: sleepTypes.route },
  // Uncached: the lower limit of copies changes around each attempt, and a worker may have died after changing it.
  ScaledObject: { type: sleepTypes.scaler },
  // Uncached: passes that apply it are rare, and a stale cache must not hide that an environment has lost its policy.
  NetworkPolicy: { type: coreTypes.networkPolicy },
}

/** Kinds of database servers and of the object server, and the limits of an environment. */
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
  /** The object as the caller has it, which spares a read. */
  known?: KubeObject | undefined
  /** False if another worker may have written the object a moment ago: it is read live, even if it is cached. */
  trustsCache?: boolean
  /** True if nothing was ever applied for the owner: the object is created without a read before. */
  isNew?: boolean
}

/**
 * Applies the manifest, unless the cached object carries its digest. The apply has the read resourceVersion as its
 * condition, so that a late write of a superseded attempt ends in a conflict (isConflict); so does the creation of an
 * object whose name is taken. Throws OwnershipConflict for an object with another owner's uid.
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
  // These objects are immutable and named after their release: an existing one has the wanted content.
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
      // Another owner's object is an OwnershipConflict, for good. If it is svc's own, a repeated pass applies it.
      if (isNew && isConflict(error)) await readOwn()
      throw error
    })
  // Cached before the watch sees it: the next pass may apply another manifest, and must not compare with a stale
  // object.
  if (cache !== undefined) needs.children[cache].put(headOf(applied))
  return applied
}

/** The manifest with the resourceVersion of the object that was read, if there was one, as a condition of its apply. */
export function onConditionOf<M extends { metadata?: object }>(live: KubeObject | undefined, manifest: M): M {
  const condition = defined({ resourceVersion: live?.metadata.resourceVersion })
  return { ...manifest, metadata: { ...manifest.metadata, ...condition } }
}

/** A stand-in for "no object": an apply with its version creates the object, and ends in a conflict if one exists. */
const noneOf = ({ apiVersion, kind, metadata: { name } }: ChildManifest): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, resourceVersion: versionOfNone },
})

/** The part of an object that these caches hold. */
const headOf = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({ apiVersion, kind, metadata })

/** Deletes an object if it exists and belongs to the owner. */
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
