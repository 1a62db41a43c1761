/**
 * Connections to postgres and mysql servers: only to allowed addresses, and encrypted as the owner of the server wants.
 */
import { isIP, Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { createConnection, type Connection } from 'mysql2/promise'
import { Client } from 'pg'
import type { SqlEngine } from '../../kinds/sql-engines.ts'
import { reachOf } from '../addresses.ts'
import { AddressRefused, createGuard, type Guard, type GuardOptions } from '../guard.ts'
import { errorCode, shortly, UpstreamError, whyUnanswered } from '../upstream-error.ts'
import { defined } from '../../contract/defined.ts'
import { sslModes } from '../../contract/fields/words.ts'

export interface LoginAt {
  host: string
  port: number
  /** '' where the engine allows a connection without a database. */
  database: string
  username: string
  password: string
  /** The owner's settings; see `SslMode`. */
  tls?: { mode?: SslMode; ca?: string }
}

/**
 * The modes of libpq. `prefer`: encrypted where the server supports it, without a check of certificates; `require`:
 * always encrypted; `verify-ca`: with a certificate of a given authority or one that the machine trusts; `verify-full`:
 * additionally for this host. Without a mode: `verify-full` for a host with a public address, `prefer` for others.
 */
export type SslMode = (typeof sslModes)[number]

/**
 * The TLS settings of an external server's Secret, from its keys `sslmode` and `ca.crt`. `unknown` for a text that is
 * no mode: it must not make the connection less secure than intended.
 */
export function tlsIn(texts: { sslmode?: string | undefined; ca?: string | undefined }) {
  const wanted = texts.sslmode?.trim()
  const mode = sslModes.find((each) => each === wanted)
  return mode === undefined && wanted !== undefined ? ('unknown' as const) : defined({ mode, ca: texts.ca })
}

/** Another resolver of names; a test replaces addresses, too. */
export type Played = Pick<GuardOptions, 'resolve' | 'reach'>

/** A client that is logged in, with its socket. The socket still ends after `loginBytes`. */
interface Connected<Engine> {
  client: Engine
  socket: GuardedSocket
}

/**
 * Connects and logs in; the caller ends the client. Throws what the client throws; `loginError` turns that into a
 * sentence.
 */
export async function connectPostgres(
  { host, port, database, username: user, password, tls }: LoginAt,
  withinMs: number,
  played: Played = {},
): Promise<Connected<Client>> {
  const way = await wayTo({ host, ...defined({ tls }) }, played)
  const ask = async (ssl: ConnectionOptions | false): Promise<Connected<Client>> => {
    const socket = new GuardedSocket(way.guard)
    socket.endAfter(loginBytes)
    const client = new Client({
      host,
      port,
      user,
      password,
      ssl,
      stream: () => socket,
      connectionTimeoutMillis: withinMs,
      ...(database === '' ? {} : { database }),
    })
    client.on('error', () => undefined) // a break of the connection fails the query that is under way
    try {
      await client.connect()
      return { client, socket }
    } catch (error) {
      await client.end().catch(() => undefined) // what failed is what the caller gets
      throw error
    }
  }
  // A certificate may name an address, too.
  const secure = tlsOptions(way.mode, tls?.ca)
  return await ask(secure === false ? false : { ...secure, host }).catch((error: unknown) => {
    if (
      way.mode === 'prefer' &&
      error instanceof Error &&
      error.message === 'The server does not support SSL connections'
    )
      return ask(false)
    throw error
  })
}

/**
 * Connects and logs in; the caller destroys the client. Throws what the client throws; `loginError` turns that into a
 * sentence.
 */
export async function connectMysql(
  { host, port, database, username: user, password, tls }: LoginAt,
  withinMs: number,
  played: Played = {},
): Promise<Connected<Connection>> {
  const way = await wayTo({ host, ...defined({ tls }) }, played)
  const ask = async (ssl: ConnectionOptions | false): Promise<Connected<Connection>> => {
    const socket = new GuardedSocket(way.guard)
    socket.endAfter(loginBytes)
    const verifyIdentity = way.mode === 'verify-full'
    const secure =
      ssl === false
        ? {}
        : {
            ssl: {
              rejectUnauthorized: ssl.rejectUnauthorized ?? true,
              verifyIdentity,
              ...defined({ ca: tls?.ca }),
            },
          }
    // The client's own limit ends with the first bytes of the server.
    const timer = setTimeout(() => socket.destroy(new Error('no login in time')), withinMs)
    const client = await createConnection({
      host,
      port,
      user,
      password,
      stream: () => socket.connect(port, host),
      connectTimeout: withinMs,
      flags: ['-LOCAL_FILES'], // no server reads files of this process
      ...secure,
      ...(database === '' ? {} : { database }),
    }).finally(() => clearTimeout(timer))
    client.on('error', () => undefined) // a break of the connection fails the query that is under way
    return { client, socket }
  }
  return await ask(tlsOptions(way.mode, tls?.ca)).catch((error: unknown) => {
    if (way.mode === 'prefer' && codeOf(error) === 'HANDSHAKE_NO_SSL_SUPPORT') return ask(false)
    throw error
  })
}

/** How to connect to one server. */
interface Way {
  guard: Guard
  mode: SslMode
}

/**
 * Link-local addresses, where clouds serve credentials, have no databases. A public host must present a certificate,
 * even if its server would allow less: without a mode of its owner the connection goes to the very addresses that
 * decided the mode, since a second answer for the name may be another one. Rejects where the name does not resolve.
 */
async function wayTo(
  { host, tls }: Pick<LoginAt, 'host' | 'tls'>,
  { reach = reachOf, ...played }: Played,
): Promise<Way> {
  const guard = createGuard({ allowPrivate: true, reach, ...played })
  if (tls?.mode !== undefined) return { guard, mode: tls.mode }
  const addresses = isIP(host) === 0 ? await guard.resolve(host) : [host]
  return {
    guard: createGuard({ allowPrivate: true, reach, resolve: async () => addresses }),
    mode: addresses.some((address) => reach(address) === 'public') ? 'verify-full' : 'prefer',
  }
}

function tlsOptions(mode: SslMode, ca: string | undefined): ConnectionOptions | false {
  if (mode === 'disable') return false
  if (mode === 'prefer' || mode === 'require') return { rejectUnauthorized: false }
  const authority = defined({ ca })
  return {
    ...authority,
    rejectUnauthorized: true,
    ...(mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  }
}

/** The byte count is checked so often: at a gigabyte a second, that is every twenty megabytes. */
const lookMs = 20

/** The most that a server may send during the login and the first query: both answers are short. */
const loginBytes = 1024 * 1024

/** The server sent more than the connection may take. */
export class AnswerTooLarge extends Error {
  constructor() {
    super('the answer is too large')
    this.name = 'AnswerTooLarge'
  }
}

/** The connection of both clients: its lookup checks the addresses of a name, or the literal address. */
export class GuardedSocket extends Socket {
  readonly #guard: Guard
  #look: NodeJS.Timeout | undefined

  constructor(guard: Guard) {
    super()
    this.#guard = guard
  }

  /** @param port a number, or as pg passes it @param host never a path: both clients use another method for those */
  override connect(...[port, host]: unknown[]): this {
    const name = String(host)
    if (isIP(name) !== 0 && !this.#guard.allows(name)) {
      process.nextTick(() => this.destroy(new AddressRefused()))
      return this
    }
    return super.connect({ port: Number(port), host: name, lookup: this.#guard.lookup })
  }

  /**
   * Ends the connection once the server has sent this many more bytes: both clients collect a whole message, which may
   * have a gigabyte. It checks the count at intervals, since an encrypted connection reads below the events of this
   * socket. Replaces an earlier limit; the returned function ends the check.
   */
  endAfter(bytes: number): () => void {
    clearInterval(this.#look)
    const most = this.bytesRead + bytes
    const look = setInterval(() => {
      if (this.bytesRead > most) this.destroy(new AnswerTooLarge())
    }, lookMs).unref()
    this.#look = look
    const stop = () => clearInterval(look)
    this.once('close', stop)
    return stop
  }
}

/** Why there is no connection: the server's answer to the login, or `passing` when it does not answer. No password. */
export function loginError(engine: SqlEngine, { host, port, password }: LoginAt, error: unknown) {
  const { code, message = '' } = error as { code?: unknown; message?: string } // the errors of both clients
  if (refuses(engine, code))
    return new UpstreamError(0, String(code), `the server refuses the login: ${shortly(message, [password])}`, false)
  const why = insecure(error)
  if (why !== undefined) return new UpstreamError(0, '', `no secure connection to ${host}: ${why}`, true)
  // What a client found out by itself has no code, such as that the connection was closed or took too long.
  const cause = errorCode(error) ?? (shortly(message, [password]) || whyUnanswered(error))
  const unanswered = `${host} does not answer on port ${port}: ${cause}`
  return new UpstreamError(0, typeof code === 'string' ? code : '', unanswered, true)
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Why the login was not sent; undefined for any other error. */
function insecure(error: unknown): string | undefined {
  const code = errorCode(error) ?? ''
  if (/^ERR_(TLS|SSL)|^HANDSHAKE_SSL_ERROR$|CERT|SIGNATURE|SELF_SIGNED|ISSUER/.test(code))
    return `its certificate is not valid (${code}); put ca.crt or sslmode beside the password`
  const none =
    code === 'HANDSHAKE_NO_SSL_SUPPORT' ||
    (error instanceof Error && error.message === 'The server does not support SSL connections')
  return none ? 'it has none; put sslmode beside the password' : undefined
}

/** Classes 28 and 3D of SQLSTATE: a wrong login, a missing database. */
function refuses(engine: SqlEngine, code: unknown): boolean {
  if (typeof code !== 'string') return false
  return engine === 'postgres'
    ? /^(28|3D)/.test(code)
    : ['ER_ACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR'].includes(code)
}
