/** Deletes a store's record. */
import { refusals, refuse } from '../../contract/problem.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { bucketsInTheWay, objectServerAmong } from '../../kinds/object-stores/gates.ts'
import { isObjectServer, storeRules } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { staysAtAws } from '../../kinds/object-stores/remote.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { chooseLastBackup } from '../backups/last-backup.ts'
import type { RecordStore } from '../store/record-store.ts'
import { noteAbandoned } from '../store/abandon.ts'
import { type HowDeleted, removeRecord } from '../store/edit-record.ts'
import type { StoreNeeds } from './needs.ts'

type Needs = Pick<StoreNeeds, 'client' | 'objectStores'> & { backupArchives: RecordStore<BackupArchive> }

/**
 * `store` is the live record, whose status shows what was made. Throws Problem not_found, and invalid_request when
 * `confirmName` is not the exact name, or for the object server while projects have buckets, with their names. With
 * `abandon` the cloud is not called, and the result lists in words what stays there; invalid_request for a store on the
 * object server.
 */
export async function askStoreDeletion(
  { client, objectStores, backupArchives }: Needs,
  store: ObjectStore,
  confirmName: string,
  { abandon = false, backupFirst = true, asked }: HowDeleted = {},
): Promise<string[]> {
  if (confirmName !== store.metadata.name) throw refuse(refusals.confirmation)
  if (isObjectServer(store.spec)) {
    // Listed live: the cache may not have a bucket that another process made a moment ago.
    const { items } = await client.list<ObjectStore>(resourceTypes.objectStore, { namespace: systemNamespace })
    // A second record of an object server, by kubectl, holds no buckets.
    const holds = objectServerAmong(items)?.metadata.uid === store.metadata.uid
    const inTheWay = holds ? bucketsInTheWay(items) : ''
    if (inTheWay !== '') throw refuse(inTheWay)
  }
  if (abandon && storeRules.variant(store) !== 'remote')
    throw refuse('only a bucket in a cloud account can be abandoned')
  await removeRecord(objectStores, 'bucket', store, confirmName, asked)
  if (!abandon) {
    await chooseLastBackup(objectStores, backupArchives, store, backupFirst, asked)
    return []
  }
  await noteAbandoned(objectStores, store)
  return staysAtAws(store)
}
