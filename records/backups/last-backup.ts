/** How a request for a deletion affects the last backup (docs/reference/backups.md#before-a-deletion). */
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { lastArchiveName } from '../../kinds/backup-archives/names.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import { hasFailed } from '../../kinds/backup-archives/schedule.ts'
import { isNotedWithoutBackup } from '../../kinds/databases/last-backup.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import type { DeletionRequest } from '../../kinds/provision/deletion-request.ts'
import type { RecordStore } from '../store/record-store.ts'

/**
 * Called after the deletion was written: with `backupFirst` a failed last backup is repeated, without it the deletion
 * waits for none.
 */
export async function chooseLastBackup<T extends KubeObject>(
  store: RecordStore<T>,
  backupArchives: RecordStore<BackupArchive>,
  record: T,
  backupFirst: boolean,
  asked?: DeletionRequest,
): Promise<void> {
  if (backupFirst) await forgetFailedBackup(backupArchives, record, asked)
  else await noteWithoutBackup(store, record)
}

/** Deletes a failed last backup; the workflow takes another under its name once it is gone. */
async function forgetFailedBackup(
  backupArchives: RecordStore<BackupArchive>,
  { metadata }: KubeObject,
  asked: DeletionRequest | undefined,
): Promise<void> {
  const { name, uid = '' } = metadata
  const failed = await backupArchives.readLive(lastArchiveName(name, uid))
  if (failed === undefined || isVerified(failed) || !hasFailed(failed)) return
  await backupArchives.remove(failed.metadata.name, failed.metadata.uid ?? '', asked)
}

/**
 * Marks the deletion as one without a backup. Written only after the deletion: the mark on a record that lives on would
 * make a later deletion skip its backup. After a crash between the two the deletion takes a backup; a repeated call is
 * harmless.
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
