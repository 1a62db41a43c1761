/** Chooses or clears the bucket that backups of a project's databases are written to. */
import { refuse } from '../../contract/problem.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import { isExternal } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { storedBucketName } from '../../kinds/object-stores/settings.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { RecordStore } from '../store/record-store.ts'
import { editProject, type ProjectNeeds } from './edit-project.ts'

export interface BackupStorageNeeds extends ProjectNeeds {
  cloudConnections: RecordStore<CloudConnection>
  objectStores: RecordStore<ObjectStore>
}

export interface BackupStorage {
  /** Name of a cloud connection of the same project, or of a store of the project on the cluster's object server. */
  connection: string
  bucket: string
  /** Empty means the region of the connection. */
  region: string
}

/**
 * Undefined clears the setting. Throws Problem not_found, invalid_request (a connection of another project or another
 * cloud).
 */
export async function saveBackupStorage(
  needs: BackupStorageNeeds,
  name: string,
  wanted: BackupStorage | undefined,
  ifMatch?: string,
): Promise<Project> {
  // Read live: another replica may have made or changed them a moment ago.
  const store = wanted === undefined ? undefined : await needs.objectStores.readLive(wanted.connection)
  const connection = wanted === undefined ? undefined : await needs.cloudConnections.readLive(wanted.connection)
  return editProject(
    needs,
    name,
    ({ spec }) => {
      const { backupStorage: _, ...kept } = spec
      if (wanted === undefined) return kept
      const { bucket, region } = wanted
      const connectionRef = { name: wanted.connection }
      if (connection === undefined && store?.spec.project === name)
        return {
          ...kept,
          backupStorage: { source: 'ObjectStore', connectionRef, bucket: storedBucket(store, bucket), region: '' },
        }
      // A connection of another project gets the same refusal as a missing one.
      if (connection?.spec.project !== name) throw refuse('connection must be a cloud connection of this project')
      if (connection.spec.provider !== 'AWS') throw refuse('backups need a connection of the provider AWS')
      return { ...kept, backupStorage: { connectionRef, bucket, region } }
    },
    ifMatch,
  )
}

/** The name of the bucket on the object server. */
function storedBucket({ spec }: ObjectStore, bucket: string): string {
  if (isExternal(spec)) throw refuse('backups need a cloud connection, or a bucket on the object server of the cluster')
  if (!spec.buckets.includes(bucket)) throw refuse(`bucket must be one of ${spec.buckets.join(', ')}`)
  return storedBucketName(spec, bucket)
}
