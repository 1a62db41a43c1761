/** The verbs of logical databases. */
import { canMutate } from '../../contract/caller.ts'
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { withoutNames } from '../../kinds/meta/without-names.ts'
import type { OperationsOf } from '../../contract/operations.ts'
import { archiveName } from '../../kinds/backup-archives/names.ts'
import { logicalDatabaseState } from '../../kinds/logical-databases/rules.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { redactedLogicalDatabase, redactedLogicalDatabaseStatus } from '../../kinds/logical-databases/redact.ts'
import { logicalDatabaseSummary } from '../../kinds/logical-databases/summary.ts'
import { found, removeRecord, retryRecord } from '../../records/store/edit-record.ts'
import { askLogicalBackup } from '../../records/backups/ask-logical-backup.ts'
import { chooseLastBackup } from '../../records/backups/last-backup.ts'
import { createLogicalDatabase } from '../../records/logical-databases/create-logical-database.ts'
import { saveBackupSettings } from '../../records/logical-databases/save-backup-settings.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import { askedBy, wakeRecord } from '../context/wakes.ts'
import type { Needs } from '../context/needs.ts'
import { createBackupTrouble } from '../views/backup-trouble.ts'
import { connectionOf } from '../views/connection.ts'
import { withVersion } from '../views/record-version.ts'
import { createSummaryList } from '../views/summary-list.ts'

export const logicalDatabaseHandlers = (needs: Needs) => {
  const trouble = createTrouble(needs)
  return {
    'logical-databases.list': list(needs, trouble),
    'logical-databases.create': create(needs),
    'logical-databases.get': get(needs, trouble),
    'logical-databases.update': update(needs),
    'logical-databases.delete': deleteLogicalDatabase(needs),
    'logical-databases.retry-provision': retryProvision(needs),
    'logical-databases.connection': connection(needs),
    'logical-databases.backup': backup(needs),
  } satisfies HandlerTable<OperationsOf<'logical-databases'>>
}

type Trouble = ReturnType<typeof createTrouble>

/** What is wrong with the backups of a ready one, as its message; the very same summary where nothing is. */
function createTrouble(needs: Needs) {
  const backups = createBackupTrouble(needs)
  return (summary: ResourceSummary, full: boolean): ResourceSummary => {
    if (summary.state !== 'ready' || summary.message !== '') return summary
    const message = backups(needs.caches.logicalDatabases.get(summary.name, systemNamespace)?.metadata.uid ?? '')
    return message === '' ? summary : { ...summary, message: full ? message : withoutNames(message) }
  }
}

/** `GET /logical-databases`: logical databases from the cache, each with what is wrong with its backups. */
const list = ({ caches }: Needs, trouble: Trouble): Handler<'logical-databases.list'> => {
  const summaries = createSummaryList(caches.logicalDatabases, logicalDatabaseSummary)
  return async (call) => {
    const view = await summaries(call)
    const items = view.items.map((summary) => trouble(summary, canMutate(call.caller)))
    // The same answer as before is not made twice.
    return items.every((summary, place) => summary === view.items[place]) ? view : { items }
  }
}

/** `POST /logical-databases`: a database on a server that exists; it needs no deploy. */
const create =
  (needs: Needs): Handler<'logical-databases.create'> =>
  async (call) => {
    const { name } = (await createLogicalDatabase(needs.writes, call.params, askedBy(call))).metadata
    wakeRecord(needs, 'logicalDatabase', name, 'created', call)
    return { ok: true, name, kind: 'logical-databases' }
  }

/** `GET /logical-databases/{name}`: what a caller who cannot change things may not see is blank. */
const get =
  (needs: Needs, trouble: Trouble): Handler<'logical-databases.get'> =>
  async ({ params, caller }) => {
    const database = await logicalDatabaseOf(needs, params.logicalDatabase)
    const full = canMutate(caller)
    const view = {
      resource: trouble(logicalDatabaseSummary(database, full), full),
      spec: { ...(full ? database.spec : redactedLogicalDatabase(database.spec)) },
      status: { ...(full ? database.status : redactedLogicalDatabaseStatus(database.status)) },
    }
    return withVersion(view, database)
  }

/** `PATCH /logical-databases/{name}`: whether it is backed up; applies at once. */
const update =
  (needs: Needs): Handler<'logical-databases.update'> =>
  async (call) => {
    const { logicalDatabase, ...settings } = call.params
    const saved = await saveBackupSettings(needs.writes, logicalDatabase, settings, call.ifMatch)
    if (saved.liveChanged) wakeRecord(needs, 'logicalDatabase', logicalDatabase, 'backup settings changed', call)
    return { ok: true, applied: 'live', ...saved }
  }

/** `DELETE /logical-databases/{name}`: asks for the deletion; one that nothing was made for is gone at once. */
const deleteLogicalDatabase =
  (needs: Needs): Handler<'logical-databases.delete'> =>
  async (call) => {
    const { logicalDatabase, confirmName, backupFirst = true } = call.params
    if (!backupFirst) call.respond.audit({ backupFirst: 'off' })
    const { logicalDatabases } = needs.records
    const database = await liveLogicalDatabaseOf(needs, logicalDatabase)
    await removeRecord(logicalDatabases, 'logical database', database, confirmName)
    await chooseLastBackup(logicalDatabases, needs.records.backupArchives, database, backupFirst)
    wakeRecord(needs, 'logicalDatabase', logicalDatabase, 'deletion requested', call)
    return { ok: true }
  }

/** `POST /api/logical-databases/{logicalDatabase}/retry-provision`: a failed creation is tried again. */
const retryProvision =
  (needs: Needs): Handler<'logical-databases.retry-provision'> =>
  async (call) => {
    const { logicalDatabase } = call.params
    await retryRecord(
      needs.writes.logicalDatabases,
      'logical database',
      logicalDatabase,
      logicalDatabaseState,
      call.ifMatch,
    )
    wakeRecord(needs, 'logicalDatabase', logicalDatabase, 'retry requested', call)
    return { ok: true }
  }

/** `GET /logical-databases/{name}/connection`: where it is reached; `reveal` adds the password. */
const connection =
  (needs: Needs): Handler<'logical-databases.connection'> =>
  async (call) =>
    connectionOf(
      needs,
      await logicalDatabaseOf(needs, call.params.logicalDatabase),
      'logical-databases.connection',
      call,
    )

/** `POST /logical-databases/{name}/backup`: the name of the backup that is taken now. */
const backup =
  (needs: Needs): Handler<'logical-databases.backup'> =>
  async (call) => {
    const { writes } = needs
    const database = await liveLogicalDatabaseOf(needs, call.params.logicalDatabase)
    const { actor } = askedBy(call)
    const name = archiveName(database.metadata.name, writes.now())
    const { metadata } = await askLogicalBackup(writes, database, { name, trigger: 'Manual', actor })
    wakeRecord(needs, 'backupArchive', metadata.name, 'backup requested', call)
    return { ok: true, archive: metadata.name }
  }

/** Which logical database a call is about. */
const logicalDatabaseOf = async ({ records }: Needs, name: string): Promise<LogicalDatabase> =>
  found('logical database', await records.logicalDatabases.read(name))

/** As the cluster has it now: for what is done to this very record, whose name may have been another's a moment ago. */
const liveLogicalDatabaseOf = async ({ records }: Needs, name: string): Promise<LogicalDatabase> =>
  found('logical database', await records.logicalDatabases.readLive(name))
