/** The write that starts a backup, of whatever kind. */
import { randomBytes } from 'node:crypto'
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import { defined } from '../../contract/defined.ts'
import { refuse } from '../../contract/problem.ts'
import { type BackupArchive, type BackupArchiveSpec, backupArchiveSpec } from '../../kinds/backup-archives/kind.ts'
import { archivePath } from '../../kinds/backup-archives/names.ts'
import { annotations, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { placeLabels } from '../../kinds/meta/namespaces.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { RecordStore } from '../store/record-store.ts'

export interface WantedBackup {
  /** Name of the record; each request for the same backup has the same name. */
  name: string
  trigger: BackupArchiveSpec['trigger']
  actor?: string
  /** Version of the data, where it differs from the version in the spec. */
  version?: string
  /** How many days the backup is kept after its database is gone; without it, until a caller deletes it. */
  keepDays?: number
}

type Storage = NonNullable<Project['spec']['backupStorage']>
/** The source of the backup. */
type Of = Omit<BackupArchiveSpec, keyof Storage | 'trigger' | 'keepDays' | 'path'>

/**
 * Creates the record of the backup, or returns the one of this name that another process created first. Throws Problem
 * invalid_request where that is a backup of another database.
 */
export async function saveArchive(
  backupArchives: RecordStore<BackupArchive>,
  of: Of,
  storage: Storage,
  { name, trigger, actor = '', keepDays }: WantedBackup,
): Promise<BackupArchive> {
  const { project } = of
  const record: BackupArchive = {
    apiVersion,
    kind: resourceTypes.backupArchive.kind,
    metadata: {
      name,
      namespace: systemNamespace,
      labels: { [labels.managedBy]: managedBySvc, ...placeLabels(of) },
      ...(actor === '' ? {} : { annotations: { [annotations.askedBy]: actor } }),
    },
    spec: backupArchiveSpec.parse({
      ...of,
      trigger,
      ...defined({ keepDays }),
      ...storage,
      path: archivePath(project, name, randomBytes(4).toString('hex')),
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
