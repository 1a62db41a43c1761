/** Chooses or clears the bucket that backups of a project's databases are written to. */

import { refuse } from '../../contract/problem.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { RecordStore } from '../store/record-store.ts'
import { editProject, type ProjectNeeds } from './edit-project.ts'

export interface BackupStorageNeeds extends ProjectNeeds {
  cloudConnections: RecordStore<CloudConnection>
}

export interface BackupStorage {
  /** Name of a cloud connection of the same project. */
  connection: string
  bucket: string
  /** Empty: the region of the connection. */
  region: string
}

/**
 * Undefined clears. Throws Problem not_found, invalid_request (a connection of another project or of another cloud).
 */
export async function saveBackupStorage(
  needs: BackupStorageNeeds,
  name: string,
  wanted: BackupStorage | undefined,
  ifMatch?: string,
): Promise<Project> {
  const connection = wanted === undefined ? undefined : await needs.cloudConnections.read(wanted.connection)
  return editProject(
    needs,
    name,
    ({ spec }) => {
      const { backupStorage: _, ...kept } = spec
      if (wanted === undefined) return kept
      // One of another project is answered like one that is not there.
      if (connection?.spec.project !== name) throw refuse('connection must be a cloud connection of this project')
      if (connection.spec.provider !== 'AWS') throw refuse('backups need a connection of the provider AWS')
      return {
        ...kept,
        backupStorage: { connectionRef: { name: wanted.connection }, bucket: wanted.bucket, region: wanted.region },
      }
    },
    ifMatch,
  )
}
