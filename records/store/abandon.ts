/** Notes on a record that is being deleted that its cloud cannot be asked any more. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { isNotedAbandoned } from '../../kinds/provision/abandon.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import type { RecordStore } from './record-store.ts'

/**
 * Only ever written after the deletion: an annotation that a process left behind on a record that lives would have a
 * later deletion leave behind what it is to remove. Dying between the two leaves a deletion that waits; asking again is
 * harmless. A record that is gone by now needs none.
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
