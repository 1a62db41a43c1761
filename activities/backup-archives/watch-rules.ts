/** The rules by which the watch wakes a backup. */
import { askedDrill, isDrillDue } from '../../kinds/backup-archives/drills.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { backedKind, type BackedKind } from '../../kinds/backup-archives/rules.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { isConnection, type WatchRules } from '../provision/watch-rules.ts'

export const archiveWatch = (): WatchRules<BackupArchive> => ({
  // Only the drill: the files of a backup are in a bucket, which no watch shows.
  missing: (archive) => (isDrillDue(archive) ? `the restore drill of ${askedDrill(archive)}` : ''),
  dependsOn: ({ spec }, other) =>
    (other.kind === backedTypes[backedKind(spec)].kind && other.metadata.name === spec.database) ||
    ((isConnection(other) || other.kind === resourceTypes.objectStore.kind) &&
      other.metadata.name === spec.connectionRef.name),
})

const backedTypes = {
  Database: resourceTypes.database,
  LogicalDatabase: resourceTypes.logicalDatabase,
  ObjectStore: resourceTypes.objectStore,
} satisfies Record<BackedKind, unknown>
