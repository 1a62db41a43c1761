/** Starts a backup of a logical database on the shared server: of that one database, with its own login. */
import { refuse } from '../../contract/problem.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import { engineVersionOf } from '../../kinds/databases/image.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { storageSizeOf } from '../../kinds/databases/sizes.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { isSharedServerName } from '../../kinds/logical-databases/shared-servers.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { type BackupNeeds, storageRefusal } from './ask-backup.ts'
import { saveArchive, type WantedBackup } from './save-archive.ts'

/** Why no backup of the logical database can be taken; '' when one can. */
export function logicalBackupRefusal(
  { metadata, spec, status }: LogicalDatabase,
  server: Database | undefined,
  project: Project | undefined,
  trigger: WantedBackup['trigger'],
): string {
  if (metadata.deletionTimestamp !== undefined && trigger !== 'Deletion') return 'the logical database is being deleted'
  if (!isSharedServerName(spec.serverRef))
    return `the logical database is in the backups of its server: back up the database ${spec.serverRef}`
  // Before it is provisioned, neither the database nor its login exists.
  if (status?.database === undefined || status.connectionSecret === undefined)
    return 'the logical database was not made yet'
  if (server === undefined) return `the server ${spec.serverRef} does not exist`
  if (specOf(server).placement !== 'InCluster') return 'only databases on this cluster are backed up'
  return storageRefusal(project)
}

/** The effective spec, without changes that wait for a deploy. */
const specOf = (server: Database): Database['spec'] => effectiveDatabaseSpec(server) ?? server.spec

/** As `askBackup`. Throws Problem invalid_request. */
export async function askLogicalBackup(
  { projects, databases, backupArchives }: BackupNeeds,
  database: LogicalDatabase,
  wanted: WantedBackup,
): Promise<BackupArchive> {
  const { metadata, spec, status } = database
  const project = await projects.readLive(spec.project)
  const server = await databases.readLive(spec.serverRef)
  const refusal = logicalBackupRefusal(database, server, project, wanted.trigger)
  const storage = project?.spec.backupStorage
  if (refusal !== '' || storage === undefined || server === undefined) throw refuse(refusal)
  const shared = specOf(server)
  const of = {
    project: spec.project,
    environment: spec.environment,
    databaseKind: 'LogicalDatabase',
    database: metadata.name,
    databaseUid: metadata.uid ?? '',
    databaseName: status?.database ?? '',
    engine: shared.engine,
    version: engineVersionOf(shared),
    storageSize: storageSizeOf(shared),
  } as const
  return saveArchive(backupArchives, of, storage, wanted)
}
