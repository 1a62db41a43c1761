/** The handlers of logical databases. */
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
import { askedBy, deletionBy, wakeRecord } from '../context/wakes.ts'
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

/** Gives the summary of a ready one the trouble of its backups as the message; the same summary without trouble. */
function createTrouble(needs: Needs) {
  const backups = createBackupTrouble(needs)
  return (summary: ResourceSummary, full: boolean): ResourceSummary => {
    if (summary.state !== 'ready' || summary.message !== '') return summary
    const message = backups(needs.caches.logicalDatabases.get(summary.name, systemNamespace)?.metadata.uid ?? '')
    return message === '' ? summary : { ...summary, message: full ? message : withoutNames(message) }
  }
}

/** `GET /logical-databases`: logical databases from the cache, each with the trouble of its backups. */
const list = ({ caches }: Needs, trouble: Trouble): Handler<'logical-databases.list'> => {
  const summaries = createSummaryList(caches.logicalDatabases, logicalDatabaseSummary)
  return async (call) => {
    const view = await summaries(call)
    const items = view.items.map((summary) => trouble(summary, canMutate(call.caller)))
    // The same view again, so that its text is not made twice.
    return items.every((summary, place) => summary === view.items[place]) ? view : { items }
  }
}

/** `POST /logical-databases`: a database on an existing server; it needs no deploy. */
const create =
  (needs: Needs): Handler<'logical-databases.create'> =>
  async (call) => {
    const { name } = (await createLogicalDatabase(needs.writes, call.params, askedBy(call))).metadata
    wakeRecord(needs, 'logicalDatabase', name, 'created', call)
    return { ok: true, name, kind: 'logical-databases' }
  }

/** `GET /logical-databases/{name}`: fields that callers without the right to change it may not see are blank. */
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

/** `PATCH /logical-databases/{name}`: settings of its backups; they apply at once. */
const update =
  (needs: Needs): Handler<'logical-databases.update'> =>
  async (call) => {
    const { logicalDatabase, ...settings } = call.params
    const { actor } = askedBy(call)
    const saved = await saveBackupSettings(needs.writes, logicalDatabase, settings, call.ifMatch, actor)
    if (saved.liveChanged) wakeRecord(needs, 'logicalDatabase', logicalDatabase, 'backup settings changed', call)
    return { ok: true, applied: 'live', ...saved }
  }

/** `DELETE /logical-databases/{name}`: deletes the record; one without a finalizer is gone at once. */
const deleteLogicalDatabase =
  (needs: Needs): Handler<'logical-databases.delete'> =>
  async (call) => {
    const { logicalDatabase, confirmName, backupFirst = true } = call.params
    if (!backupFirst) call.respond.audit({ backupFirst: 'off' })
    const { logicalDatabases } = needs.records
    const database = await liveLogicalDatabaseOf(needs, logicalDatabase)
    const asked = deletionBy(needs, call)
    await removeRecord(logicalDatabases, 'logical database', database, confirmName, asked)
    await chooseLastBackup(logicalDatabases, needs.records.backupArchives, database, backupFirst, asked)
    wakeRecord(needs, 'logicalDatabase', logicalDatabase, 'deletion requested', call)
    return { ok: true }
  }

/** `POST /api/logical-databases/{logicalDatabase}/retry-provision`: retries a failed creation. */
const retryProvision =
  (needs: Needs): Handler<'logical-databases.retry-provision'> =>
  async (call) => {
    const { logicalDatabase } = call.params
    await retryRecord(
      needs.writes.logicalDatabases,
      'logical database',
      logicalDatabase,
      logicalDatabaseState,
      askedBy(call).actor,
      call.ifMatch,
    )
    wakeRecord(needs, 'logicalDatabase', logicalDatabase, 'retry requested', call)
    return { ok: true }
  }

/** `GET /logical-databases/{name}/connection`: its address; `reveal` adds the password. */
const connection =
  (needs: Needs): Handler<'logical-databases.connection'> =>
  async (call) =>
    connectionOf(
      needs,
      await logicalDatabaseOf(needs, call.params.logicalDatabase),
      'logical-databases.connection',
      call,
    )

/** `POST /logical-databases/{name}/backup`: starts a backup; answers its name. */
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

/** The logical database of a call. */
const logicalDatabaseOf = async ({ records }: Needs, name: string): Promise<LogicalDatabase> =>
  found('logical database', await records.logicalDatabases.read(name))

/** The live record: for a change of this very record, whose name another one may have had a moment ago. */
const liveLogicalDatabaseOf = async ({ records }: Needs, name: string): Promise<LogicalDatabase> =>
  found('logical database', await records.logicalDatabases.readLive(name))
