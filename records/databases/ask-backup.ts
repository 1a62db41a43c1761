/** Begins a backup: its record is what asks for it, and all that follows comes from that one write. */

import { randomBytes } from 'node:crypto'
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import { defined } from '../../contract/defined.ts'
import { refuse } from '../../contract/problem.ts'
import { annotations, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { type BackupArchive, backupArchiveSpec } from '../../kinds/backup-archives/kind.ts'
import { archivePath } from '../../kinds/backup-archives/names.ts'
import { beginsWal } from '../../kinds/backup-archives/wal/rules.ts'
import { effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import { versionOf } from '../../kinds/databases/image.ts'
import { keepsWal } from '../../kinds/databases/keeps-wal.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { firstDatabase } from '../../kinds/databases/names.ts'
import { storageSizeOf } from '../../kinds/databases/sizes.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { RecordStore } from '../store/record-store.ts'

export interface BackupNeeds {
  projects: RecordStore<Project>
  databases: RecordStore<Database>
  backupArchives: RecordStore<BackupArchive>
}

export interface WantedBackup {
  /** Of the record: each request for the same backup gives it the same name. */
  name: string
  trigger: BackupArchive['spec']['trigger']
  actor?: string
  /** Of the data, where that is not the version that the database is to have. */
  version?: string
  /** Days that it is kept once its database is gone; until it is deleted where left out. */
  keepDays?: number
}

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
  return project?.spec.backupStorage === undefined ? 'choose a backup storage for the project first' : ''
}

/**
 * The record of the backup of that name; the one that is there already where another process was faster. Throws Problem
 * invalid_request.
 */
export async function askBackup(
  { projects, backupArchives }: BackupNeeds,
  database: Database,
  { name, trigger, actor = '', version, keepDays }: WantedBackup,
): Promise<BackupArchive> {
  const project = await projects.readLive(database.spec.project)
  const refusal = backupRefusal(database, project, trigger)
  const storage = project?.spec.backupStorage
  const spec = effectiveDatabaseSpec(database)
  if (refusal !== '' || storage === undefined || spec === undefined) throw refuse(refusal)
  const record: BackupArchive = {
    apiVersion,
    kind: resourceTypes.backupArchive.kind,
    metadata: {
      name,
      namespace: systemNamespace,
      labels: {
        [labels.managedBy]: managedBySvc,
        [labels.project]: spec.project,
        [labels.environment]: spec.environment,
      },
      ...(actor === '' ? {} : { annotations: { [annotations.askedBy]: actor } }),
    },
    spec: backupArchiveSpec.parse({
      project: spec.project,
      environment: spec.environment,
      database: database.metadata.name,
      databaseUid: database.metadata.uid ?? '',
      databaseName: firstDatabase(database.metadata.name, spec),
      engine: spec.engine,
      version: version ?? versionOf(spec),
      storageSize: storageSizeOf(spec),
      trigger,
      ...defined({ keepDays, pointInTime: (beginsWal(trigger) && keepsWal(database)) || undefined }),
      ...storage,
      path: archivePath(spec.project, name, randomBytes(4).toString('hex')),
    }),
  }
  try {
    return await backupArchives.create(record)
  } catch (error) {
    const there = isAlreadyExists(error) ? await backupArchives.readLive(name) : undefined
    if (there === undefined) throw error
    if (there.spec.databaseUid !== record.spec.databaseUid)
      throw refuse(`another database has the backup ${name}; try again`)
    return there
  }
}
