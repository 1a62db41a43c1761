/**
 * Removes what is left of records that are gone: a worker that was cut off in a pass, or an api in a request, wrote it
 * after the removal had listed what there was, and died before it looked again. No record leads to such an object.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { buildsNamespace } from '../../kinds/builds/names.ts'
import { isDropJobName } from '../../kinds/logical-databases/names.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import {
  type ComparedKind,
  comparedKinds,
  postgresCluster,
  resourceTypes,
  sleepTypes,
} from '../../kinds/meta/resource-types.ts'
import { backupKeyPurpose } from '../../kinds/secrets/named-secret.ts'
import { removeSeen } from '../../records/secrets/named-secret.ts'
import { eachAtOnce } from '../context/at-once.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { holdsData } from '../kube/apply-storage.ts'
import { installUid } from '../platform/own-objects.ts'

interface Owned {
  type: ResourceType
  object: KubeObject
  /** Uid of the record that it was made for. */
  owner: string
}

/**
 * Removes objects older than `before` (milliseconds since 1970) whose owner is no record, by a live list made after the
 * objects were listed: a record is there before anything is made for it. Nothing of an owner goes whose data is there:
 * the removal deletes data before the record, so that record was removed past svc. Resolves with their number.
 */
export async function sweepOrphans(needs: ActivityNeeds, before: number): Promise<number> {
  const owned = await ownedObjects(needs)
  const known = new Set([...recordsOf(needs), await installUid(needs)])
  const suspects = owned.filter(({ owner }) => !known.has(owner))
  if (suspects.length === 0) return 0
  const living = await livingOwners(needs)
  const orphans = suspects.filter(({ owner }) => !living.has(owner))
  const withData = new Set(orphans.filter(({ type, object }) => holdsData(type, object)).map(({ owner }) => owner))
  const old = orphans.filter(({ object, owner }) => !withData.has(owner) && isOlderThan(before)(object))
  const isNamespace = ({ type }: Owned) => type === coreTypes.namespace
  const inside = await removeEach(
    needs,
    old.filter((each) => !isNamespace(each)),
  )
  return inside + (await removeEach(needs, old.filter(isNamespace)))
}

export const isOlderThan =
  (before: number) =>
  ({ metadata }: KubeObject): boolean =>
    !(Date.parse(metadata.creationTimestamp ?? '') > before)

const kinds = Object.keys(comparedKinds) as ComparedKind[]

const recordsOf = (needs: ActivityNeeds): string[] =>
  kinds.flatMap((kind) => needs[comparedKinds[kind].records].cache.list().map(({ metadata }) => metadata.uid ?? ''))

/** Throws if a kind cannot be listed: its records would count as gone. */
async function livingOwners({ client }: ActivityNeeds): Promise<ReadonlySet<string | undefined>> {
  const lists = await Promise.all(
    kinds.map((kind) =>
      client.list<KubeObject>(resourceTypes[kind], { namespace: systemNamespace, metadataOnly: true }),
    ),
  )
  return new Set(lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.uid)))
}

/** Objects with an owner label that are not being deleted, and that Kubernetes does not remove with another one. */
async function ownedObjects(needs: ActivityNeeds): Promise<Owned[]> {
  return [...cachedObjects(needs), ...(await listedObjects(needs))].flatMap(({ type, object }) => {
    const { labels: own, deletionTimestamp, ownerReferences = [] } = object.metadata
    const owner = own?.[labels.owner]
    const isGoing = deletionTimestamp !== undefined || ownerReferences.some(({ controller }) => controller === true)
    return owner === undefined || isGoing || isNeeded(object) ? [] : [{ type, object, owner }]
  })
}

/** What outlives its record: the drop of a logical database goes on, and a key of backups is needed to read them. */
const isNeeded = ({ metadata }: KubeObject): boolean =>
  isDropJobName(metadata.name) || metadata.labels?.[labels.purpose] === backupKeyPurpose

/** A cache that is behind only delays the removal. */
function cachedObjects({ children, deployments, builds }: ActivityNeeds): Omit<Owned, 'owner'>[] {
  const caches: [ResourceType, { list: () => readonly KubeObject[] }][] = [
    [coreTypes.namespace, children.namespaces],
    [coreTypes.deployment, children.deployments],
    [coreTypes.statefulSet, children.statefulSets],
    [coreTypes.job, children.jobs],
    [coreTypes.service, children.services],
    [coreTypes.serviceAccount, children.serviceAccounts],
    [coreTypes.ingress, children.ingresses],
    [coreTypes.horizontalPodAutoscaler, children.autoscalers],
    [coreTypes.podDisruptionBudget, children.disruptionBudgets],
    [sleepTypes.route, children.interceptorRoutes],
    [sleepTypes.scaler, children.scaledObjects],
    [resourceTypes.deployment, deployments.cache],
    [resourceTypes.build, builds.cache],
  ]
  return caches.flatMap(([type, cache]) => cache.list().map((object) => ({ type, object })))
}

/**
 * Kinds that no cache has whole, in svc-system and in each environment; and volumes, since whether one is in use must
 * not be an old answer.
 */
async function listedObjects({ client, children, discovery }: ActivityNeeds): Promise<Omit<Owned, 'owner'>[]> {
  const operated = (await discovery.hasType(postgresCluster)) ? [postgresCluster] : []
  const environments = children.namespaces
    .list()
    .filter(({ metadata }) => metadata.labels?.[labels.owner] !== undefined && metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
  const found: Omit<Owned, 'owner'>[] = []
  const list = async (type: ResourceType, place: { namespace?: string }) => {
    const { items } = await client.list<KubeObject>(type, { ...place, labelSelector: labels.owner, metadataOnly: true })
    found.push(...items.map((object) => ({ type, object })))
  }
  await list(coreTypes.persistentVolumeClaim, {})
  await eachAtOnce([systemNamespace, ...environments], async (namespace) => {
    for (const type of [coreTypes.secret, coreTypes.configMap, ...operated]) await list(type, { namespace })
  })
  return found
}

async function removeEach(needs: ActivityNeeds, orphans: readonly Owned[]): Promise<number> {
  let removed = 0
  await eachAtOnce(orphans, async (orphan) => {
    if (await removeOrphan(needs, orphan)) removed += 1
  })
  return removed
}

/** Of a Secret only the version that was judged: a new record of the name takes the Secrets of a former one over. */
async function removeOrphan({ client }: ActivityNeeds, { type, object, owner }: Owned): Promise<boolean> {
  const { name, namespace } = object.metadata
  if (type === coreTypes.namespace && !(await isEmptyPlace({ client }, name))) return false
  // The worker may not list Secrets there; that of a build has the name of its Job.
  if (type === coreTypes.job && namespace === buildsNamespace) {
    const secret = await client.get<KubeObject>({ type: coreTypes.secret, namespace, name })
    if (secret?.metadata.labels?.[labels.owner] === owner) await removeSeen(client, coreTypes.secret, secret)
  }
  return removeSeen(client, type, object, { unchanged: type === coreTypes.secret })
}

/** Whether nothing runs in the namespace and no volume is in it, svc's own or not. */
async function isEmptyPlace({ client }: Pick<ActivityNeeds, 'client'>, namespace: string): Promise<boolean> {
  const types = [coreTypes.pod, coreTypes.deployment, coreTypes.statefulSet, coreTypes.persistentVolumeClaim]
  const lists = await Promise.all(types.map((type) => client.list<KubeObject>(type, { namespace, metadataOnly: true })))
  return lists.every(({ items }) => items.length === 0)
}
