/** The verbs of logical databases. */
import { canMutate } from '../../contract/caller.ts'
import type { OperationsOf } from '../../contract/operations.ts'
import { logicalDatabaseState } from '../../kinds/logical-databases/rules.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { redactedLogicalDatabase, redactedLogicalDatabaseStatus } from '../../kinds/logical-databases/redact.ts'
import { logicalDatabaseSummary } from '../../kinds/logical-databases/summary.ts'
import { notFound, removeRecord, retryRecord } from '../../records/store/edit-record.ts'
import { createLogicalDatabase } from '../../records/logical-databases/create-logical-database.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import { askedBy, wakeRecord } from '../context/wakes.ts'
import type { Needs } from '../context/needs.ts'
import { connectionOf } from '../views/connection.ts'
import { withVersion } from '../views/record-version.ts'
import { createSummaryList } from '../views/summary-list.ts'

export const logicalDatabaseHandlers = (needs: Needs) =>
  ({
    'logical-databases.list': list(needs),
    'logical-databases.create': create(needs),
    'logical-databases.get': get(needs),
    'logical-databases.delete': deleteLogicalDatabase(needs),
    'logical-databases.retry-provision': retryProvision(needs),
    'logical-databases.connection': connection(needs),
  }) satisfies HandlerTable<OperationsOf<'logical-databases'>>

/** `GET /logical-databases`: logical databases from the cache. */
const list = ({ caches }: Needs): Handler<'logical-databases.list'> =>
  createSummaryList(caches.logicalDatabases, logicalDatabaseSummary)

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
  (needs: Needs): Handler<'logical-databases.get'> =>
  async ({ params, caller }) => {
    const database = await logicalDatabaseOf(needs, params.logicalDatabase)
    const full = canMutate(caller)
    const view = {
      resource: logicalDatabaseSummary(database, full),
      spec: { ...(full ? database.spec : redactedLogicalDatabase(database.spec)) },
      status: { ...(full ? database.status : redactedLogicalDatabaseStatus(database.status)) },
    }
    return withVersion(view, database)
  }

/** `DELETE /logical-databases/{name}`: asks for the deletion; one that nothing was made for is gone at once. */
const deleteLogicalDatabase =
  (needs: Needs): Handler<'logical-databases.delete'> =>
  async (call) => {
    const { logicalDatabase, confirmName } = call.params
    await removeRecord(
      needs.records.logicalDatabases,
      'logical database',
      await logicalDatabaseOf(needs, logicalDatabase),
      confirmName,
    )
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

/** Which logical database a call is about. */
async function logicalDatabaseOf({ records }: Needs, name: string): Promise<LogicalDatabase> {
  const database = await records.logicalDatabases.read(name)
  if (database === undefined) throw notFound('logical database')
  return database
}
