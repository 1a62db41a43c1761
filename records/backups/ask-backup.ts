/** Starts a backup: its record is written, and all later steps follow from that one write. */
import { defined } from '../../contract/defined.ts'
import { refuse } from '../../contract/problem.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { beginsWal } from '../../kinds/backup-archives/wal/rules.ts'
import { effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import { engineVersionOf } from '../../kinds/databases/image.ts'
import { keepsWal } from '../../kinds/databases/keeps-wal.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { firstDatabase } from '../../kinds/databases/names.ts'
import { storageSizeOf } from '../../kinds/databases/sizes.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { RecordStore } from '../store/record-store.ts'
import { saveArchive, type WantedBackup } from './save-archive.ts'

export interface BackupNeeds {
  projects: RecordStore<Project>
  databases: RecordStore<Database>
  backupArchives: RecordStore<BackupArchive>
}

/** The refusal for every project without a backup storage; '' where it has one. */
export const storageRefusal = (project: Project | undefined): string =>
  project?.spec.backupStorage === undefined ? 'choose a backup storage for the project first' : ''

/** Why no backup of the database can be taken; '' when one can. */
export function backupRefusal(
  database: Database,
  project: Project | undefined,
  trigger: WantedBackup['trigger'],
): string {
  const spec = effectiveDatabaseSpec(database)
  if (database.metadata.deletionTimestamp !== undefined && trigger !== 'Deletion')
    return 'the database is being deleted'
  if (spec === undefined) return 'deploy the database before you back it up'
  if (spec.placement !== 'InCluster') return 'only databases on this cluster are backed up'
  if (spec.project === '') return 'the shared server of the cluster belongs to no project, and so has no backup storage'
  return storageRefusal(project)
}

/**
 * Creates the record of the backup, or returns the one of this name that another process created first. Throws Problem
 * invalid_request.
 */
export async function askBackup(
  { projects, backupArchives }: BackupNeeds,
  database: Database,
  wanted: WantedBackup,
): Promise<BackupArchive> {
  const project = await projects.readLive(database.spec.project)
  const refusal = backupRefusal(database, project, wanted.trigger)
  const storage = project?.spec.backupStorage
  const spec = effectiveDatabaseSpec(database)
  if (refusal !== '' || storage === undefined || spec === undefined) throw refuse(refusal)
  const of = {
    project: spec.project,
    environment: spec.environment,
    database: database.metadata.name,
    databaseUid: database.metadata.uid ?? '',
    databaseName: firstDatabase(database.metadata.name, spec),
    engine: spec.engine,
    version: wanted.version ?? engineVersionOf(spec),
    storageSize: storageSizeOf(spec),
    ...defined({ pointInTime: (beginsWal(wanted.trigger) && keepsWal(database)) || undefined }),
  }
  return saveArchive(backupArchives, of, storage, wanted)
}
