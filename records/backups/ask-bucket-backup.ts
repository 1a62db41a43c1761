/** Starts a backup of a bucket on the object server: of all its objects, with the bucket's own login. */
import { objectServerStorage } from '../../contract/limits.ts'
import { refuse } from '../../contract/problem.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { effectiveStoreSpec, isExternal, isObjectServer } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { type BackupNeeds, storageRefusal } from './ask-backup.ts'
import { saveArchive, type WantedBackup } from './save-archive.ts'

/** Why no backup of the bucket can be taken; '' when one can. */
export function bucketBackupRefusal(
  store: ObjectStore,
  project: Project | undefined,
  trigger: WantedBackup['trigger'],
): string {
  const { metadata, spec, status } = store
  if (metadata.deletionTimestamp !== undefined && trigger !== 'Deletion') return 'the bucket is being deleted'
  if (isObjectServer(spec)) return 'the object server of the cluster has no backup: back up the buckets on it'
  if (isExternal(spec)) return 'only buckets on the object server of the cluster are backed up'
  if (effectiveStoreSpec(store) === undefined) return 'deploy the bucket before you back it up'
  // Before it is provisioned, neither the bucket nor its login exists.
  if (status?.connectionSecret === undefined) return 'the bucket was not made yet'
  if (isStorageOf(project, metadata.name)) return 'the bucket has the backups of its project, and is not backed up'
  return storageRefusal(project)
}

/** Whether a bucket is the backup storage of its project: each backup of it would then be part of the next. */
function isStorageOf(project: Project | undefined, name: string): boolean {
  const storage = project?.spec.backupStorage
  return storage?.source === 'ObjectStore' && storage.connectionRef.name === name
}

/** As `askBackup`. Throws Problem invalid_request. */
export async function askBucketBackup(
  { projects, backupArchives }: Pick<BackupNeeds, 'projects' | 'backupArchives'>,
  store: ObjectStore,
  wanted: WantedBackup,
): Promise<BackupArchive> {
  const project = await projects.readLive(store.spec.project)
  const refusal = bucketBackupRefusal(store, project, wanted.trigger)
  const storage = project?.spec.backupStorage
  const spec = effectiveStoreSpec(store)
  if (refusal !== '' || storage === undefined || spec === undefined) throw refuse(refusal)
  const of = {
    project: spec.project,
    environment: spec.environment,
    databaseKind: 'ObjectStore',
    database: store.metadata.name,
    databaseUid: store.metadata.uid ?? '',
    databaseName: '',
    buckets: spec.buckets,
    engine: 'bucket',
    version: '',
    storageSize: objectServerStorage,
  } as const
  return saveArchive(backupArchives, of, storage, wanted)
}
