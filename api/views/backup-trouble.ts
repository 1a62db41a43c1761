/** What is wrong with the backups of a database (docs/reference/backups.md#what-a-database-says). */
import { backupTrouble } from '../../kinds/backup-archives/drills.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import type { Needs } from '../context/needs.ts'

/** The sentence for what has that uid; '' where nothing is wrong. Backups are grouped once for each change of them. */
export function createBackupTrouble({ caches, writes }: Pick<Needs, 'caches' | 'writes'>): (uid: string) => string {
  let last: { all: readonly BackupArchive[]; groups: ReadonlyMap<string, BackupArchive[]> } | undefined
  const ownOf = (uid: string): readonly BackupArchive[] => {
    const all = caches.backupArchives.list()
    if (last?.all !== all) last = { all, groups: Map.groupBy(all, ({ spec }) => spec.databaseUid) }
    return last.groups.get(uid) ?? []
  }
  return (uid) => backupTrouble(ownOf(uid), writes.now())
}
