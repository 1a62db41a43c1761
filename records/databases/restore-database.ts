/** Saves the database into which a backup is restored: a new one, with new passwords. */
import { refuse } from '../../contract/problem.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { backedKind, backedNouns } from '../../kinds/backup-archives/rules.ts'
import { type Database, databaseSpec } from '../../kinds/databases/kind.ts'
import type { DeployRequest } from '../../kinds/provision/deploy-request.ts'
import type { RecordStore } from '../store/record-store.ts'
import { createDatabase } from './create-database.ts'
import type { DatabaseNeeds } from './needs.ts'
import { defined } from '../../contract/defined.ts'

/**
 * `restorePoint` is a moment within the backup; '' is the moment of the backup itself. Throws Problem not_found, and
 * invalid_request for a moment outside of it, or without capacity.
 */
export async function restoreDatabase(
  needs: DatabaseNeeds & { backupArchives: RecordStore<BackupArchive> },
  archive: BackupArchive,
  restorePoint: string,
  request: DeployRequest,
): Promise<Database> {
  const { project, environment, engine, version, storageSize, databaseName } = archive.spec
  if (engine === 'bucket')
    throw refuse(`the backup is of a ${backedNouns[backedKind(archive.spec)]}, not of a database`)
  const { firstRestorePoint = '', lastRestorePoint = '' } = archive.status ?? {}
  const asked = restorePoint === '' ? Date.parse(firstRestorePoint) : Date.parse(restorePoint)
  if (Number.isNaN(asked)) throw refuse('restorePoint must be a time such as 2026-01-31T10:00:00Z')
  if (asked < Date.parse(firstRestorePoint) || asked > Date.parse(lastRestorePoint))
    throw refuse(
      firstRestorePoint === lastRestorePoint
        ? `restorePoint must be ${lastRestorePoint}, the moment of the backup`
        : `restorePoint must lie between ${firstRestorePoint} and ${lastRestorePoint}`,
    )
  const named = engine === 'postgres' || engine === 'mysql' ? { databaseName } : {}
  const spec = databaseSpec.parse({
    project,
    environment,
    engine,
    version,
    ...defined({ storageSize }),
    ...named,
    restoreFrom: { archive: archive.metadata.name, point: new Date(asked).toISOString() },
  })
  return createDatabase(needs, undefined, spec, request)
}
