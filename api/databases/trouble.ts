/**
 * The trouble of ready databases: volumes that are almost full, and backups
 * (docs/reference/databases.md#a-volume-that-fills-up, docs/reference/backups.md#what-a-database-says).
 */
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { volumeTrouble } from '../../kinds/databases/volumes.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { withoutNames } from '../../kinds/meta/without-names.ts'
import type { Needs } from '../context/needs.ts'
import { createBackupTrouble } from '../views/backup-trouble.ts'

type WithTrouble = (summary: ResourceSummary, full: boolean) => ResourceSummary

/**
 * Resolves with a function that gives a summary its message where it has none; it returns the same summary where
 * nothing is wrong. `full` is false for callers who may not change the database.
 */
export function createTrouble(needs: Needs): () => Promise<WithTrouble> {
  const { caches, fullVolumes } = needs
  const backups = createBackupTrouble(needs)
  return async () => {
    const volumes = await fullVolumes()
    return (summary, full) => {
      if (summary.state !== 'ready' || summary.message !== '') return summary
      const database = caches.databases.get(summary.name, systemNamespace)
      if (database === undefined) return summary
      const troubles = [volumeTrouble(database, volumes), backups(database.metadata.uid ?? '')]
      const message = troubles.filter((trouble) => trouble !== '').join('; ')
      return message === '' ? summary : { ...summary, message: full ? message : withoutNames(message) }
    }
  }
}
