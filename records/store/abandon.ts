/** Marks a record that is being deleted as abandoned: its cloud no longer answers. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { isNotedAbandoned } from '../../kinds/provision/abandon.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import type { RecordStore } from './record-store.ts'

/**
 * Written only after the deletion: an annotation on a record that lives on would make a later deletion leave resources
 * in the cloud. After a crash between the two the deletion waits, and a repeated call is harmless. A record that is
 * gone needs no mark.
 */
export async function noteAbandoned<T extends KubeObject>(
  store: RecordStore<T>,
  { metadata: { name, uid } }: T,
): Promise<void> {
  await store.edit(name, (current) => {
    const { metadata } = current
    if (metadata.uid !== uid || metadata.deletionTimestamp === undefined || isNotedAbandoned(current)) return undefined
    return {
      ...current,
      metadata: { ...metadata, annotations: { ...metadata.annotations, [annotations.abandon]: name } },
    }
  })
}
