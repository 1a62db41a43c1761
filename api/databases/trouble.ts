/**
 * What is wrong with databases that are ready: volumes that are almost full, backups
 * (docs/reference/databases.md#a-volume-that-fills-up, docs/reference/backups.md#what-a-database-says).
 */
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { backupTrouble } from '../../kinds/backup-archives/drills.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { volumeTrouble } from '../../kinds/databases/volumes.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { withoutNames } from '../../kinds/meta/without-names.ts'
import type { Needs } from '../context/needs.ts'

type WithTrouble = (summary: ResourceSummary, full: boolean) => ResourceSummary

/**
 * Resolves to what gives a summary its message where it has none; the very same summary where nothing is wrong. `full`
 * is false for callers who cannot change things.
 */
export function createTrouble(needs: Needs): () => Promise<WithTrouble> {
  const { caches, writes, fullVolumes } = needs
  let last: { all: readonly BackupArchive[]; groups: ReadonlyMap<string, BackupArchive[]> } | undefined
  const ownOf = (uid: string): readonly BackupArchive[] => {
    const all = caches.backupArchives.list()
    if (last?.all !== all) last = { all, groups: Map.groupBy(all, ({ spec }) => spec.databaseUid) }
    return last.groups.get(uid) ?? []
  }
  return async () => {
    const volumes = await fullVolumes()
    return (summary, full) => {
      if (summary.state !== 'ready' || summary.message !== '') return summary
      const database = caches.databases.get(summary.name, systemNamespace)
      if (database === undefined) return summary
      const troubles = [
        volumeTrouble(database, volumes),
        backupTrouble(ownOf(database.metadata.uid ?? ''), writes.now()),
      ]
      const message = troubles.filter((trouble) => trouble !== '').join('; ')
      return message === '' ? summary : { ...summary, message: full ? message : withoutNames(message) }
    }
  }
}
