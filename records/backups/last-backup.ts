/** What a request for a deletion says of the last backup (docs/reference/backups.md#before-a-deletion). */
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { lastArchiveName } from '../../kinds/backup-archives/names.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import { hasFailed } from '../../kinds/backup-archives/schedule.ts'
import { isNotedWithoutBackup } from '../../kinds/databases/last-backup.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import type { RecordStore } from '../store/record-store.ts'

/** After the deletion was asked for: one that failed is tried anew, or none is waited for without `backupFirst`. */
export async function chooseLastBackup<T extends KubeObject>(
  store: RecordStore<T>,
  backupArchives: RecordStore<BackupArchive>,
  record: T,
  backupFirst: boolean,
): Promise<void> {
  if (backupFirst) await forgetFailedBackup(backupArchives, record)
  else await noteWithoutBackup(store, record)
}

/** Another one is taken under its name, as soon as it is gone. */
async function forgetFailedBackup(backupArchives: RecordStore<BackupArchive>, { metadata }: KubeObject): Promise<void> {
  const { name, uid = '' } = metadata
  const failed = await backupArchives.readLive(lastArchiveName(name, uid))
  if (failed === undefined || isVerified(failed) || !hasFailed(failed)) return
  await backupArchives.remove(failed.metadata.name, failed.metadata.uid ?? '')
}

/**
 * Only ever written after the deletion: what a process left behind on a record that lives would have a later deletion
 * go without a backup. Dying between the two leaves a deletion that takes one; asking again is harmless.
 */
async function noteWithoutBackup<T extends KubeObject>(
  store: RecordStore<T>,
  { metadata: { name, uid } }: T,
): Promise<void> {
  await store.edit(name, (current) => {
    const { metadata } = current
    if (metadata.uid !== uid || metadata.deletionTimestamp === undefined || isNotedWithoutBackup(current))
      return undefined
    return {
      ...current,
      metadata: { ...metadata, annotations: { ...metadata.annotations, [annotations.withoutBackup]: name } },
    }
  })
}
