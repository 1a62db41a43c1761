/** What is wrong with the backups of databases that are ready (docs/reference/backups.md#what-a-database-says). */
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { backupTrouble } from '../../kinds/backup-archives/drills.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { withoutNames } from '../../kinds/meta/without-names.ts'
import type { Needs } from '../context/needs.ts'

type WithTrouble = (summary: ResourceSummary, full: boolean) => ResourceSummary

/**
 * Gives a summary its message where it has none; the very same summary where nothing is wrong. `full` is false for
 * callers who cannot change things.
 */
export function createBackupTrouble({ caches, writes }: Pick<Needs, 'caches' | 'writes'>): WithTrouble {
  let last: { all: readonly BackupArchive[]; groups: ReadonlyMap<string, BackupArchive[]> } | undefined
  const ownOf = (uid: string): readonly BackupArchive[] => {
    const all = caches.backupArchives.list()
    if (last?.all !== all) last = { all, groups: Map.groupBy(all, ({ spec }) => spec.databaseUid) }
    return last.groups.get(uid) ?? []
  }
  return (summary, full) => {
    if (summary.state !== 'ready' || summary.message !== '') return summary
    const uid = caches.databases.get(summary.name, systemNamespace)?.metadata.uid ?? ''
    const message = backupTrouble(ownOf(uid), writes.now())
    return message === '' ? summary : { ...summary, message: full ? message : withoutNames(message) }
  }
}
