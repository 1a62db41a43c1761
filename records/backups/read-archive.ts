/** Reads the backup that a caller wants to restore. */
import { Problem } from '../../contract/problem.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import type { RecordStore } from '../store/record-store.ts'

/**
 * Read live, since it may have been deleted a moment ago. Throws Problem not_found for a backup that does not exist or
 * is not complete.
 */
export async function readArchive(archives: RecordStore<BackupArchive>, name: string): Promise<BackupArchive> {
  const archive = await archives.readLive(name)
  if (archive === undefined || !isVerified(archive)) throw new Problem('not_found', 'backup not found')
  return archive
}
