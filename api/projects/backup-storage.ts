/** `POST /api/projects/{p}/backup-storage`: the bucket that backups are written to, or none. */
import { refuse } from '../../contract/problem.ts'
import { saveBackupStorage } from '../../records/projects/backup-storage.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const backupStorage =
  (needs: Needs): Handler<'projects.backup-storage'> =>
  async ({ params: { project, connection, bucket, region = '', remove }, ifMatch }) => {
    if (remove === true) await saveBackupStorage(needs.writes, project, undefined, ifMatch)
    else {
      if (connection === undefined) throw refuse('connection is required')
      if (bucket === undefined) throw refuse('bucket is required')
      await saveBackupStorage(needs.writes, project, { connection, bucket, region }, ifMatch)
    }
    return { ok: true }
  }
