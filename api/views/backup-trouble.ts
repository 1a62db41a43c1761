/** The trouble of a database's backups (docs/reference/backups.md#what-a-database-says). */
import { backupTrouble } from '../../kinds/backup-archives/drills.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import type { Needs } from '../context/needs.ts'

/** Returns a function from a uid to the sentence; '' without trouble. Backups are grouped once per change of them. */
export function createBackupTrouble({ caches, writes }: Pick<Needs, 'caches' | 'writes'>): (uid: string) => string {
  let last: { all: readonly BackupArchive[]; groups: ReadonlyMap<string, BackupArchive[]> } | undefined
  const ownOf = (uid: string): readonly BackupArchive[] => {
    const all = caches.backupArchives.list()
    if (last?.all !== all) last = { all, groups: Map.groupBy(all, ({ spec }) => spec.databaseUid) }
    return last.groups.get(uid) ?? []
  }
  return (uid) => backupTrouble(ownOf(uid), writes.now())
}
