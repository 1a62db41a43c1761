/** The handlers of databases. */
import { canMutate } from '../../contract/caller.ts'
import type { OperationsOf } from '../../contract/operations.ts'
import { databaseDraft, databaseState } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { redactedDatabase, redactedDatabaseStatus } from '../../kinds/databases/redact.ts'
import { databaseSummary } from '../../kinds/databases/summary.ts'
import { databaseQueries } from '../../kinds/metrics/queries.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { askDatabaseDeletion } from '../../records/databases/ask-deletion.ts'
import { createDatabase, newDatabaseSpec } from '../../records/databases/create-database.ts'
import { deployDatabase } from '../../records/databases/deploy-database.ts'
import { saveDatabaseSettings } from '../../records/databases/save-settings.ts'
import { discardChanges, found, mintDeployRequest, retryRecord } from '../../records/store/edit-record.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import { askedBy, deletionBy, wakeRecord } from '../context/wakes.ts'
import type { Needs } from '../context/needs.ts'
import { backupHandlers } from './backups.ts'
import { connectHandlers } from './connect.ts'
import { createTrouble } from './trouble.ts'
import { createOpenQueries, queryDatabase } from './query.ts'
import { connectionOf } from '../views/connection.ts'
import { readSeries } from '../views/read-series.ts'
import { withVersion } from '../views/record-version.ts'
import { createSummaryList } from '../views/summary-list.ts'

export const databaseHandlers = (needs: Needs) => {
  const trouble = createTrouble(needs)
  return {
    'databases.list': list(needs, trouble),
    'databases.create': create(needs),
    ...connectHandlers(needs),
    'databases.get': get(needs, trouble),
    'databases.update': update(needs),
    'databases.delete': deleteDatabase(needs),
    'databases.deploy': deploy(needs),
    'databases.discard': discard(needs),
    'databases.retry-provision': retryProvision(needs),
    'databases.connection': connection(needs),
    'databases.metrics': metrics(needs),
    ...backupHandlers(needs),
    'databases.query': query(needs),
  } satisfies HandlerTable<OperationsOf<'databases'>>
}

type Trouble = ReturnType<typeof createTrouble>

/** `GET /databases`: databases from the cache, each with the trouble of its volume and its backups. */
const list = (needs: Needs, trouble: Trouble): Handler<'databases.list'> => {
  const summaries = createSummaryList(needs.caches.databases, databaseSummary)
  return async (call) => {
    const [view, withTrouble] = await Promise.all([summaries(call), trouble()])
    const items = view.items.map((summary) => withTrouble(summary, canMutate(call.caller)))
    // The same view again, so that its text is not made twice.
    return items.every((summary, place) => summary === view.items[place]) ? view : { items }
  }
}

/** `POST /databases`: a draft, or a database that is created as deployed; without capacity nothing is saved. */
const create =
  (needs: Needs): Handler<'databases.create'> =>
  async (call) => {
    const { writes } = needs
    const { name: wanted, draft: _, deploy, ...fields } = call.params
    const request = deploy === true ? mintDeployRequest(askedBy(call), writes.now()) : undefined
    const { name } = (await createDatabase(writes, wanted, newDatabaseSpec(fields), request)).metadata
    if (deploy === true) wakeRecord(needs, 'database', name, 'created and deployed', call)
    return { ok: true, name, kind: 'databases', ...(deploy === true ? { deployed: true } : {}) }
  }

/**
 * `GET /databases/{name}`: the whole database; fields that callers without the right to change it may not see are
 * blank.
 */
const get =
  (needs: Needs, trouble: Trouble): Handler<'databases.get'> =>
  async ({ params, caller }) => {
    const [database, withTrouble] = await Promise.all([databaseOf(needs, params.db), trouble()])
    const full = canMutate(caller)
    const view = {
      resource: withTrouble(databaseSummary(database, full), full),
      spec: { ...(full ? database.spec : redactedDatabase(database.spec)) },
      status: { ...(full ? database.status : redactedDatabaseStatus(database.status)) },
    }
    return withVersion(view, database)
  }

/** `PATCH /databases/{name}`: backup settings apply at once, the others wait for a deploy. */
const update =
  (needs: Needs): Handler<'databases.update'> =>
  async (call) => {
    const { db, ...settings } = call.params
    const saved = await saveDatabaseSettings(needs.writes, db, settings, call.ifMatch, askedBy(call).actor)
    if (saved.liveChanged) wakeRecord(needs, 'database', db, 'backup settings changed', call)
    return { ok: true, applied: 'live', ...saved }
  }

/** `DELETE /databases/{name}`: deletes the record; one without a finalizer is gone at once. */
const deleteDatabase =
  (needs: Needs): Handler<'databases.delete'> =>
  async (call) => {
    const { db, confirmName, abandon = false, backupFirst = true } = call.params
    if (abandon) call.respond.audit({ abandon: 'on' })
    if (!backupFirst) call.respond.audit({ backupFirst: 'off' })
    const how = { abandon, backupFirst, asked: deletionBy(needs, call) }
    const stays = await askDatabaseDeletion(needs.writes, await liveDatabaseOf(needs, db), confirmName, how)
    wakeRecord(needs, 'database', db, 'deletion requested', call)
    return abandon ? { ok: true, stays } : { ok: true }
  }

/** `POST /databases/{name}/deploy`: deploys the saved spec. */
const deploy =
  (needs: Needs): Handler<'databases.deploy'> =>
  async (call) => {
    const { db, backupFirst = true } = call.params
    if (!backupFirst) call.respond.audit({ backupFirst: 'off' })
    await deployDatabase(needs.writes, db, { ...askedBy(call), backupFirst }, call.ifMatch)
    wakeRecord(needs, 'database', db, 'deploy requested', call)
    return { ok: true }
  }

/** `POST /api/databases/{db}/discard`: saves the deployed settings again; live ones stay as they are. */
const discard =
  (needs: Needs): Handler<'databases.discard'> =>
  async ({ params, ifMatch }) => {
    await discardChanges(needs.writes.databases, databaseDraft, 'database', params.db, ifMatch)
    return { ok: true }
  }

/** `POST /api/databases/{db}/retry-provision`: retries a failed provisioning. */
const retryProvision =
  (needs: Needs): Handler<'databases.retry-provision'> =>
  async (call) => {
    const { db } = call.params
    await retryRecord(needs.writes.databases, 'database', db, databaseState, askedBy(call).actor, call.ifMatch)
    wakeRecord(needs, 'database', db, 'retry requested', call)
    return { ok: true }
  }

/** `GET /databases/{name}/connection`: the address of the database; `reveal` adds the password. */
const connection =
  (needs: Needs): Handler<'databases.connection'> =>
  async (call) =>
    connectionOf(needs, await databaseOf(needs, call.params.db), 'databases.connection', call)

/** `GET /databases/{name}/metrics`: the resources that the copies of a database use, and the bytes on their volumes. */
const metrics =
  (needs: Needs): Handler<'databases.metrics'> =>
  async ({ params }) => {
    const { metadata, spec } = await databaseOf(needs, params.db)
    return await readSeries(needs, params.window, (step) => databaseQueries(homeOf(spec), metadata.name, step))
  }

/** `POST /api/databases/{db}/query`: runs one statement, which only reads unless `write` is set. */
const query = (needs: Needs): Handler<'databases.query'> => {
  const open = createOpenQueries()
  return async (call) => await queryDatabase(needs, open, await databaseOf(needs, call.params.db), call)
}

/** The database of a call. */
const databaseOf = async ({ records }: Needs, name: string): Promise<Database> =>
  found('database', await records.databases.read(name))

/** The live database: for a change of this very record, whose name another one may have had a moment ago. */
const liveDatabaseOf = async ({ records }: Needs, name: string): Promise<Database> =>
  found('database', await records.databases.readLive(name))
