/** Queries on databases, with the login of services (docs/reference/databases.md#queries). */
import { createHash } from 'node:crypto'
import { actorOf } from '../../contract/caller.ts'
import { openQueries, queryAnswerBytes, queryRows, querySeconds } from '../../contract/limits.ts'
import { refuse } from '../../contract/problem.ts'
import { enginePorts } from '../../kinds/databases/names.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { type LoginAt, tlsIn } from '../../outside/databases/connect.ts'
import { runQuery } from '../../outside/databases/query/query.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { readExternalLogin, serverText } from '../../records/secrets/external-login.ts'
import { readConnection } from '../../records/secrets/read-connection.ts'
import type { Call } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { createOpenCalls, type OpenCalls } from '../context/open-calls.ts'
import { resolveDatabase } from './service-address.ts'
import type { View } from '../../contract/operations.ts'
import { defined } from '../../contract/defined.ts'

type Query = Call<'databases.query'>

const limits = { withinMs: querySeconds * 1000, rows: queryRows, bytes: queryAnswerBytes }

/**
 * Runs the statement of a call on the database. Two audit lines have the caller: one before the statement is sent,
 * which remains if this process dies meanwhile, and the one of every write. They have a digest of the statement, never
 * its text.
 * @param open counts the queries of this process
 */
export async function queryDatabase(
  needs: Needs,
  open: OpenCalls,
  database: Database,
  call: Query,
): Promise<View<'databases.query'>> {
  const { query: statement, write = false } = call.params
  const what = { statement: digestOf(statement), ...(write ? { write: 'on' } : {}) }
  call.respond.audit(what)
  call.respond.header('Cache-Control', 'no-store')
  const at = await loginOf(needs, database)
  const leave = open.enter(call.caller)
  try {
    logBegun(needs, call, what)
    const startedAt = needs.clock()
    const asked = { statement, write, limits, signal: call.signal }
    const resolve = (host: string) => resolveDatabase(needs.client, host)
    const { columns, rows, ...rest } = await runQuery(database.spec.engine, at, asked, { resolve })
    return {
      columns: [...columns],
      rows: rows.map((row) => [...row]),
      ...rest,
      elapsedMs: needs.clock() - startedAt,
    }
  } catch (error) {
    throw error instanceof UpstreamError ? refuse(error.message, error) : error
  } finally {
    leave()
  }
}

/** `sha256:` and 64 hexadecimal digits. */
const digestOf = (statement: string): string => `sha256:${createHash('sha256').update(statement).digest('hex')}`

function logBegun({ log }: Needs, { caller, requestId, params }: Query, what: Readonly<Record<string, string>>): void {
  log.info(
    {
      audit: true,
      requestId,
      actor: actorOf(caller),
      operation: 'databases.query',
      resource: { db: params.db, ...what },
      result: 'begun',
    },
    'audit',
  )
}

/** Throws Problem `no connection details yet` before setup has finished. */
async function loginOf(needs: Needs, database: Database): Promise<LoginAt> {
  const {
    host = '',
    port = '',
    database: name = '',
    username = '',
    password = '',
  } = await readConnection(needs.client, database)
  const portNumber = Number(port) || enginePorts[database.spec.engine]
  const tls = await tlsOf(needs, database, serverText(host, portNumber))
  return {
    host,
    port: portNumber,
    database: name,
    username,
    password,
    ...defined({ tls }),
  }
}

/**
 * The TLS settings for an external server, which its owner gave with the password. Throws Problem where these were
 * given for another server than the one in the connection Secret: the worker has not updated that yet.
 */
async function tlsOf({ client }: Needs, { metadata, spec }: Database, server: string): Promise<LoginAt['tls']> {
  const ref = spec.mode === 'Connect' ? spec.externalPasswordRef : undefined
  if (ref === undefined) return undefined
  const owner = { project: spec.project, database: metadata.name }
  const found = await readExternalLogin(client, owner, ref, server)
  const tls = typeof found === 'string' ? 'unknown' : tlsIn(found.texts)
  if (tls === 'unknown') throw refuse(`the Secret ${ref.name} does not say how to connect`)
  return tls
}

export const createOpenQueries = (most: { perCaller: number; total: number } = openQueries): OpenCalls =>
  createOpenCalls(most, 'queries')
