/** The backup that is to be restored. */
import { Problem } from '../../contract/problem.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import type { RecordStore } from '../store/record-store.ts'

/** Live: a backup may have been deleted a moment ago. Throws Problem not_found for what is not there or not whole. */
export async function readArchive(archives: RecordStore<BackupArchive>, name: string): Promise<BackupArchive> {
  const archive = await archives.readLive(name)
  if (archive === undefined || !isVerified(archive)) throw new Problem('not_found', 'backup not found')
  return archive
}
