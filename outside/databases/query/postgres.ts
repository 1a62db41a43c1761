/** A query on postgres, in one transaction: read-only and rolled back, or committed for a write. */
import { queryConnectMs } from '../../../contract/process-limits.ts'
import { type Client, types } from 'pg'
import {
  AnswerTooLarge,
  connectPostgres,
  type GuardedSocket,
  loginError,
  type LoginAt,
  type Played,
} from '../connect.ts'
import { defined } from '../../../contract/defined.ts'
import { shortly, UpstreamError } from '../../upstream-error.ts'
import { type Asked, type QueryAnswer, receivedBytes, refused } from './answer.ts'
import { PostgresStatement } from './postgres-statement.ts'
import { whyNoRead } from './reads.ts'
import { whileWanted } from './while-wanted.ts'

const endMs = 1_000

/** Throws UpstreamError: no connection, a refusal in the engine's words, or a cancelled query. */
export async function queryPostgres(at: LoginAt, asked: Asked, played: Played = {}): Promise<QueryAnswer> {
  const { statement, write, limits, signal } = asked
  const why = write ? undefined : whyNoRead('postgres', statement)
  if (why !== undefined) throw refused(why)
  const { client, socket } = await connectPostgres(at, queryConnectMs, played).catch((error: unknown) => {
    throw loginError('postgres', at, error)
  })
  let pid: number | undefined
  const wanted = {
    withinMs: limits.withinMs,
    signal,
    cancel: async () => {
      if (pid === undefined) socket.destroy()
      else await cancel(at, pid, played)
    },
    destroy: () => socket.destroy(),
  }
  try {
    return await whileWanted(wanted, async (over) => {
      pid = await begin(client, asked)
      return await ask(client, asked, socket, over)
    })
  } catch (error) {
    throw asUpstreamError(error, at)
  } finally {
    await end(client, socket)
  }
}

/**
 * Begins the transaction and returns the id of the server's process. The first query makes it impossible to turn a
 * read-only transaction into a writing one. Where postgres has the setting, the server itself checks during a query
 * whether svc is still connected.
 */
async function begin(client: Client, { write, limits }: Asked): Promise<number> {
  await client.query(write ? 'BEGIN' : 'BEGIN READ ONLY')
  const { rows } = await client.query<{ pid: number }>(
    `SELECT pg_catalog.pg_backend_pid() AS pid, pg_catalog.set_config('statement_timeout', $1, true),
       pg_catalog.set_config('idle_in_transaction_session_timeout', $1, true),
       (SELECT pg_catalog.set_config(name, '1000', true) FROM pg_catalog.pg_settings
         WHERE name = 'client_connection_check_interval')`,
    [String(limits.withinMs)],
  )
  return rows[0]?.pid ?? 0
}

async function ask(client: Client, asked: Asked, socket: GuardedSocket, over: () => string | undefined) {
  const { statement, write, limits } = asked
  const unwatch = socket.endAfter(receivedBytes(limits))
  const query = client.query(new PostgresStatement(statement, limits, () => socket.destroy()))
  const { rows } = query
  const lost = await query.finished
    .then(
      () => false,
      (error: unknown) => {
        if (!(socket.errored instanceof AnswerTooLarge)) throw error
        return true
      },
    )
    .finally(unwatch)
  // A commit does not end for the length of the answer; what follows is answered in few words.
  if (!lost) socket.endAfter(receivedBytes(limits))
  // The rows that came before the one that was too large are an answer of their own.
  if (lost) rows.truncated = true
  rows.complete(write)
  const names = lost ? new Map<number, string>() : await typeNames(client, query.fields)
  const why = over()
  if (why !== undefined) throw refused(why)
  if (!lost) await (write ? commit(client) : client.query('ROLLBACK'))
  return {
    columns: query.fields.map(({ name, dataTypeID: id }) => ({
      name,
      type: builtin.get(id) ?? names.get(id) ?? `type ${id}`,
    })),
    rows: rows.kept,
    truncated: rows.truncated,
    ...defined({ affected: query.affected }),
  }
}

/** `int8`, `timestamptz` and the like by object id. */
const builtin = new Map<number, string>(Object.entries(types.builtins).map(([name, id]) => [id, name.toLowerCase()]))

/** The names of arrays and of user-defined types. */
async function typeNames(client: Client, fields: PostgresStatement['fields']): Promise<Map<number, string>> {
  const ids = fields.map(({ dataTypeID }) => dataTypeID).filter((id) => !builtin.has(id))
  if (ids.length === 0) return new Map()
  const { rows } = await client.query<{ id: number; name: string }>(
    'SELECT oid AS id, pg_catalog.format_type(oid, NULL) AS name FROM pg_catalog.pg_type WHERE oid = ANY($1::oid[])',
    [ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** A commit without an answer may have been carried out. */
async function commit(client: Client): Promise<void> {
  await client.query('COMMIT').catch((error: unknown) => {
    if (error instanceof Error && 'severity' in error) throw error // the server answered: it rolled back
    throw refused('the connection broke at the commit: look whether it was written')
  })
}

async function cancel(at: LoginAt, pid: number, played: Played): Promise<void> {
  const { client, socket } = await connectPostgres(at, queryConnectMs, played)
  const late = setTimeout(() => socket.destroy(), queryConnectMs)
  try {
    await client.query('SELECT pg_catalog.pg_cancel_backend($1)', [pid])
  } finally {
    clearTimeout(late)
    await end(client, socket)
  }
}

/** A lost connection needs no end; the server rolls back what was not committed. */
async function end(client: Client, socket: GuardedSocket): Promise<void> {
  const timer = setTimeout(() => socket.destroy(), endMs) // a server that does not close it
  await client.end().catch(() => undefined)
  clearTimeout(timer)
}

/** The server's message with its code and hint, without the password. */
function asUpstreamError(error: unknown, { host, password }: LoginAt): UpstreamError {
  if (error instanceof UpstreamError) return error
  const { message = '', code, hint, severity } = error as Record<string, string | undefined> // errors of the client
  if (severity === undefined) return new UpstreamError(0, code ?? '', `the connection to ${host} broke`, true)
  const said = `${message} (${code})${hint === undefined ? '' : `; ${hint}`}`
  return refused(shortly(said, [password]), code)
}
