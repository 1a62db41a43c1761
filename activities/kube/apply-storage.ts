/**
 * Applies an object that is going to hold data. A pass that was cut off may make one after the removal of its record,
 * which has deleted all data there was: such a one must differ from the volume of a record that was removed past svc.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { postgresCluster } from '../../kinds/meta/resource-types.ts'
import type { RecordStore } from '../../records/store/record-store.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { applyChild, childOf, type ChildManifest } from './apply-child.ts'

const storage: readonly ResourceType[] = [coreTypes.persistentVolumeClaim, postgresCluster]

/** Whether the object is in use, or was: it goes only by the removal of its record. */
export const holdsData = (type: ResourceType, object: KubeObject): boolean =>
  storage.includes(type) && !isUnused(object)

/** Whether it was made a moment ago, or by a pass that was cut off. */
export const isUnused = ({ metadata }: KubeObject): boolean => metadata.annotations?.[annotations.unused] === 'true'

/**
 * 1. Creates a missing object, marked as unused, 2. reads the record live, 3. takes the mark off. So an unmarked object
 *   was there while its record was asked for, and the removal of that finds it. The caller applies what uses the object
 *   afterwards. `found` is the object as the caller has read it. Throws if the record is gone or leaving, and
 *   OwnershipConflict.
 */
export async function applyStorage<T extends KubeObject>(
  needs: ActivityNeeds,
  manifest: ChildManifest,
  found: KubeObject | undefined,
  { record, store }: { record: T; store: Pick<RecordStore<T>, 'readLive'> },
): Promise<KubeObject> {
  const { name, uid = '' } = record.metadata
  const { metadata } = manifest
  if (found !== undefined && !(isUnused(found) && found.metadata.labels?.[labels.owner] === uid))
    return applyChild(needs, manifest, uid, { known: found })
  const marked = { ...manifest, metadata: { ...metadata, annotations: { [annotations.unused]: 'true' } } }
  const made = found ?? (await applyChild(needs, marked, uid, { isNew: true }))
  const live = await store.readLive(name)
  if (live?.metadata.uid !== uid || live.metadata.deletionTimestamp !== undefined)
    throw new Error(`${manifest.kind} ${metadata.name} was made while its record was removed`)
  const ref = { type: childOf(manifest.kind).type, namespace: metadata.namespace, name: metadata.name }
  // Without its version as a condition: the cluster writes a new volume itself, at this moment.
  const unmark = { metadata: { uid: made.metadata.uid, annotations: { [annotations.unused]: null } } }
  const used = await needs.client.patch<KubeObject>(ref, unmark)
  return found === undefined ? used : applyChild(needs, manifest, uid, { known: used })
}
