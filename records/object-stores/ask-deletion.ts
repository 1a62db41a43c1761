/** Asks for a store to be deleted. */

import { refusals, refuse } from '../../contract/problem.ts'
import { systemNamespace } from '../../kinds/group.ts'
import { bucketsInTheWay } from '../../kinds/object-stores/gates.ts'
import { isObjectServer } from '../../kinds/object-stores/in-force.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { resourceTypes } from '../../kinds/resource-types.ts'
import { removeRecord } from '../edit-record.ts'
import type { StoreNeeds } from './needs.ts'

/**
 * Throws Problem not_found, and invalid_request when the name was not typed again exactly. "Deleting the cluster server is refused
 * while project buckets exist (error names them)."
 */
export async function askStoreDeletion(
  { client, objectStores }: Pick<StoreNeeds, 'client' | 'objectStores'>,
  store: ObjectStore,
  confirmName: string,
): Promise<void> {
  if (confirmName !== store.metadata.name) throw refuse(refusals.confirmation)
  if (isObjectServer(store.spec)) {
    // Live: one that another process made this moment is not in memory yet.
    const { items } = await client.list<ObjectStore>(resourceTypes.objectStore, { namespace: systemNamespace })
    const inTheWay = bucketsInTheWay(items)
    if (inTheWay !== '') throw refuse(inTheWay)
  }
  await removeRecord(objectStores, 'bucket', store, confirmName)
}
