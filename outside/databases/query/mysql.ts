/** A query on mysql or mariadb, in one transaction: read-only and rolled back, or committed for a write. */
import { queryConnectMs } from '../../../contract/process-limits.ts'
import { defined } from '../../../contract/defined.ts'
import { isUtf8 } from 'node:buffer'
import mysql, { type Connection as Streaming, type FieldPacket, type ResultSetHeader, type RowDataPacket } from 'mysql2'
import type { Connection } from 'mysql2/promise'
import { AnswerTooLarge, connectMysql, type GuardedSocket, loginError, type LoginAt, type Played } from '../connect.ts'
import { shortly, UpstreamError } from '../../upstream-error.ts'
import { type Asked, type Cell, type QueryAnswer, receivedBytes, refused, Rows } from './answer.ts'
import { whyNoRead } from './reads.ts'
import { whileWanted } from './while-wanted.ts'

// A CommonJS package whose named exports only exist at run time.
const { Types } = mysql

/** Throws UpstreamError: no connection, a refusal in the engine's words, or a cancelled query. */
export async function queryMysql(at: LoginAt, asked: Asked, played: Played = {}): Promise<QueryAnswer> {
  const { statement, write, limits, signal } = asked
  const why = write ? undefined : whyNoRead('mysql', statement)
  if (why !== undefined) throw refused(why)
  const { client, socket } = await connectMysql(at, queryConnectMs, played).catch((error: unknown) => {
    throw loginError('mysql', at, error)
  })
  const wanted = {
    withinMs: limits.withinMs,
    signal,
    cancel: () => kill(at, client.threadId, played),
    destroy: () => socket.destroy(),
  }
  try {
    return await whileWanted(wanted, async (over) => {
      await begin(client, asked)
      return await ask(client, asked, socket, over)
    })
  } catch (error) {
    throw asUpstreamError(error, at)
  } finally {
    client.destroy() // the server rolls back what was not committed
  }
}

/** The server's own limit ends the query if this process dies; mysql and mariadb name it differently. */
async function begin(client: Connection, { write, limits }: Asked): Promise<void> {
  const [rows] = await client.query<RowDataPacket[]>('SELECT VERSION() AS version')
  const isMariadb = String(rows[0]?.['version']).includes('MariaDB')
  await client.query(
    isMariadb
      ? `SET SESSION max_statement_time = ${limits.withinMs / 1000}`
      : `SET SESSION max_execution_time = ${limits.withinMs}`,
  )
  // The session, too: a statement that ends the transaction finds the next one read-only.
  if (!write) await client.query('SET SESSION TRANSACTION READ ONLY')
  await client.query(write ? 'START TRANSACTION' : 'START TRANSACTION READ ONLY')
}

async function ask(
  client: Connection,
  asked: Asked,
  socket: GuardedSocket,
  over: () => string | undefined,
): Promise<QueryAnswer> {
  const { write, limits } = asked
  const rows = new Rows(limits)
  const unwatch = socket.endAfter(receivedBytes(limits))
  const { fields, header, lost } = await read(client, asked, rows, socket).finally(unwatch)
  if (lost) rows.truncated = true
  rows.complete(write)
  const why = over()
  if (why !== undefined) throw refused(why)
  if (write) {
    // A commit does not end for the length of the answer, and is answered in few words.
    socket.endAfter(receivedBytes(limits))
    await commit(client)
  }
  return {
    columns: fields.map((field) => ({ name: field.name, type: typeOf(field) })),
    rows: rows.kept,
    truncated: rows.truncated,
    ...defined({ affected: header?.affectedRows }),
  }
}

interface Read {
  fields: readonly FieldPacket[]
  /** The result of a statement without rows. */
  header: ResultSetHeader | undefined
  /** The connection was ended before the answer was. */
  lost: boolean
}

/** Reads row by row, since the client would otherwise collect the whole answer first. The read ends at its limits. */
function read(client: Connection, { statement, write }: Asked, rows: Rows, socket: GuardedSocket): Promise<Read> {
  return new Promise((resolve, reject) => {
    const found: Read = { fields: [], header: undefined, lost: false }
    // The client that answers with promises is around the one that answers row by row; its type does not say so.
    const { connection } = client as Connection & { connection: Streaming }
    const query = connection.query({ sql: statement, rowsAsArray: true, typeCast: false })
    query.on('fields', (fields: FieldPacket[] | undefined) => (found.fields = fields ?? []))
    query.on('result', (row: (Buffer | null)[] | ResultSetHeader) => {
      if (!Array.isArray(row)) {
        found.header = row
        return
      }
      const bytes = row.reduce((sum, value) => sum + (value?.length ?? 0), 0)
      const fits = rows.add(() => row.map((value, at) => cellOf(value, found.fields[at])), bytes)
      if (fits || write) return
      socket.destroy()
      resolve({ ...found, lost: true })
    })
    query.on('error', reject)
    query.on('end', () => resolve(found))
    // Where the connection breaks the client reports it on the connection, and not on the query.
    socket.once('close', () => {
      if (socket.errored instanceof AnswerTooLarge) resolve({ ...found, lost: true })
      else reject(new Error('the connection broke'))
    })
  })
}

/** A commit without an answer may have been carried out. */
async function commit(client: Connection): Promise<void> {
  await client.query('COMMIT').catch((error: unknown) => {
    if (error instanceof Error && 'sqlState' in error && error.sqlState !== undefined) throw error // the server answered
    throw refused('the connection broke at the commit: look whether it was written')
  })
}

async function kill(at: LoginAt, thread: number, played: Played): Promise<void> {
  const { client, socket } = await connectMysql(at, queryConnectMs, played)
  const late = setTimeout(() => socket.destroy(), queryConnectMs)
  try {
    await client.query(`KILL QUERY ${thread}`)
  } finally {
    clearTimeout(late)
    client.destroy()
  }
}

const numbers: ReadonlySet<number> = new Set([
  Types.TINY,
  Types.SHORT,
  Types.INT24,
  Types.LONG,
  Types.YEAR,
  Types.FLOAT,
  Types.DOUBLE,
])
/** Types of texts and blobs; only their character set distinguishes them. */
const strings: ReadonlySet<number> = new Set([
  Types.VARCHAR,
  Types.VAR_STRING,
  Types.STRING,
  Types.TINY_BLOB,
  Types.MEDIUM_BLOB,
  Types.LONG_BLOB,
  Types.BLOB,
])
const binaryCharset = 63

/** bigint, decimal, dates and texts as the server writes them; bytes in hexadecimal digits. */
function cellOf(value: Buffer | null, field: FieldPacket | undefined): Cell {
  if (value === null) return null
  const type = field?.columnType ?? Types.VAR_STRING
  if (numbers.has(type)) return Number(value.toString('latin1'))
  const isBytes = type === Types.BIT || type === Types.GEOMETRY || (strings.has(type) && isBinary(field))
  return isBytes || !isUtf8(value) ? `0x${value.toString('hex')}` : value.toString('utf8')
}

const isBinary = (field: FieldPacket | undefined): boolean => field?.characterSet === binaryCharset

/** `long`, `var_string` and the like, as in the protocol. */
const typeOf = ({ columnType }: FieldPacket): string => typeNames.get(columnType ?? Types.VAR_STRING) ?? 'unknown'

const typeNames = new Map(
  Object.entries(Types).flatMap(([name, id]) => (typeof id === 'number' ? [[id, name.toLowerCase()]] : [])),
)

/** The server's message with its code, without the password. */
function asUpstreamError(error: unknown, { host, password }: LoginAt): UpstreamError {
  if (error instanceof UpstreamError) return error
  const { message = '', code = '', errno, sqlState } = error as Record<string, string | undefined> // of the client
  if (sqlState === undefined || sqlState === '')
    return new UpstreamError(0, code, `the connection to ${host} broke`, true)
  return refused(shortly(`${message} (${code === '' ? errno : code})`, [password]), code)
}
