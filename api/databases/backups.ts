/** The handlers of backups: take one, list them, restore one into a new database, delete one. */
import { canMutate, type Caller } from '../../contract/caller.ts'
import { Problem, refusals, refuse } from '../../contract/problem.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { archiveName } from '../../kinds/backup-archives/names.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import { momentOf } from '../../kinds/backup-archives/schedule.ts'
import { archiveSummary } from '../../kinds/backup-archives/summary.ts'
import { askBackup } from '../../records/backups/ask-backup.ts'
import { readArchive } from '../../records/backups/read-archive.ts'
import { restoreDatabase } from '../../records/databases/restore-database.ts'
import { mintDeployRequest, notFound } from '../../records/store/edit-record.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { askedBy, deletionBy, wakeRecord } from '../context/wakes.ts'

export const backupHandlers = (needs: Needs) => ({
  'databases.backup': backup(needs),
  'databases.archives': archives(needs),
  'databases.get-archive': getArchive(needs),
  'databases.delete-archive': deleteArchive(needs),
  'databases.restore': restore(needs),
})

/** `POST /databases/{name}/backup`: starts a backup; answers its name. */
const backup =
  (needs: Needs): Handler<'databases.backup'> =>
  async (call) => {
    const { records, writes } = needs
    const database = await records.databases.readLive(call.params.db)
    if (database === undefined) throw notFound('database')
    const { actor } = askedBy(call)
    const name = archiveName(database.metadata.name, writes.now())
    const { metadata } = await askBackup(writes, database, { name, trigger: 'Manual', actor })
    wakeRecord(needs, 'backupArchive', metadata.name, 'backup requested', call)
    return { ok: true, archive: metadata.name }
  }

/** `GET /backup-archives`: the complete backups, newest first. */
const archives =
  ({ caches }: Needs): Handler<'databases.archives'> =>
  async ({ params: { project, database }, caller }) => {
    const found = caches.backupArchives
      .list()
      .filter(isVerified)
      .filter(({ spec }) => (project ?? spec.project) === spec.project && (database ?? spec.database) === spec.database)
    return { items: found.toSorted((one, other) => momentOf(other) - momentOf(one)).map(shownTo(caller)) }
  }

/** `GET /backup-archives/{name}`: also for a backup that is still being taken. */
const getArchive =
  ({ records }: Needs): Handler<'databases.get-archive'> =>
  async ({ params, caller }) =>
    shownTo(caller)(await archiveOf(records.backupArchives.read, params.archive))

const shownTo = (caller: Caller) => (archive: BackupArchive) => archiveSummary(archive, canMutate(caller))

/** `DELETE /backup-archives/{name}`. */
const deleteArchive =
  (needs: Needs): Handler<'databases.delete-archive'> =>
  async (call) => {
    const { archive: name, confirmName } = call.params
    const { metadata } = await archiveOf(needs.records.backupArchives.readLive, name)
    if (confirmName !== name) throw refuse(refusals.confirmation)
    await needs.records.backupArchives.remove(name, metadata.uid ?? '', deletionBy(needs, call))
    wakeRecord(needs, 'backupArchive', name, 'deletion requested', call)
    return { ok: true }
  }

/** `POST /databases/restore`: a new database in the environment of the backup; ready once it has the data. */
const restore =
  (needs: Needs): Handler<'databases.restore'> =>
  async (call) => {
    const { writes, records } = needs
    const { archive, restorePoint = '' } = call.params
    const from = await readArchive(records.backupArchives, archive)
    const request = mintDeployRequest(askedBy(call), writes.now())
    const { metadata } = await restoreDatabase(writes, from, restorePoint, request)
    wakeRecord(needs, 'database', metadata.name, `restored from ${archive}`, call)
    return { ok: true, name: metadata.name, kind: 'databases', deployed: true }
  }

async function archiveOf(
  read: (name: string) => Promise<BackupArchive | undefined>,
  name: string,
): Promise<BackupArchive> {
  const archive = await read(name)
  if (archive === undefined) throw new Problem('not_found', 'backup not found')
  return archive
}
