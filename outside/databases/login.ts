/** Checks a login at a postgres or mysql server, with one connection and one query. */

import { isIP, Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import { reachOf } from '../addresses.ts'
import { AddressRefused, createGuard, type Guard, type GuardOptions } from '../guard.ts'
import { errorCode, UpstreamError, shortly, whyUnanswered } from '../trouble.ts'
import { defined } from '../../contract/defined.ts'

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
export const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
export type SslMode = (typeof sslModes)[number]

/** Names and addresses that a test replaces. */
export type Played = Pick<GuardOptions, 'resolve' | 'reach'>

/**
 * Throws UpstreamError: the server's answer to the login, or `passing` when it does not answer. Its message contains no
 * password.
 */
export async function tryLogin(
  engine: 'postgres' | 'mysql',
  at: LoginAt,
  withinMs: number,
  played: Played = {},
): Promise<void> {
  try {
    const way = await wayTo(at, played)
    await (engine === 'postgres' ? tryPostgres(at, way, withinMs) : tryMysql(at, way, withinMs))
  } catch (error) {
    const { code, message = '' } = error as { code?: unknown; message?: string } // the errors of both clients
    if (refuses(engine, code))
      throw new UpstreamError(
        0,
        String(code),
        `the server refuses the login: ${shortly(message, [at.password])}`,
        false,
      )
    const why = insecure(error)
    if (why !== undefined) throw new UpstreamError(0, '', `no secure connection to ${at.host}: ${why}`, true)
    throw new UpstreamError(
      0,
      typeof code === 'string' ? code : '',
      `${at.host} does not answer on port ${at.port}: ${whyUnanswered(error)}`,
      true,
    )
  }
}

async function tryPostgres(
  { host, port, database, username: user, password, tls }: LoginAt,
  way: Way,
  withinMs: number,
): Promise<void> {
  const ask = async (ssl: ConnectionOptions | false): Promise<void> => {
    const stream = () => new GuardedSocket(way.guard)
    const client = new Client({
      host,
      port,
      user,
      password,
      ssl,
      stream,
      connectionTimeoutMillis: withinMs,
      ...(database === '' ? {} : { database }),
    })
    client.on('error', () => undefined) // a later break of the connection does not matter
    try {
      await client.connect()
      await client.query('SELECT 1')
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  // A certificate may name an address, too.
  const secure = tlsOptions(way.mode, tls?.ca)
  await ask(secure === false ? false : { ...secure, host }).catch((error: unknown) => {
    if (
      way.mode === 'prefer' &&
      error instanceof Error &&
      error.message === 'The server does not support SSL connections'
    )
      return ask(false)
    throw error
  })
}

async function tryMysql(
  { host, port, database, username: user, password, tls }: LoginAt,
  way: Way,
  withinMs: number,
): Promise<void> {
  const ask = async (ssl: ConnectionOptions | false): Promise<void> => {
    const stream = () => new GuardedSocket(way.guard).connect(port, host)
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
    const client = await createConnection({
      host,
      port,
      user,
      password,
      stream,
      connectTimeout: withinMs,
      ...secure,
      ...(database === '' ? {} : { database }),
    })
    try {
      await client.query('SELECT 1')
    } finally {
      client.destroy()
    }
  }
  await ask(tlsOptions(way.mode, tls?.ca)).catch((error: unknown) => {
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
 * even if its server would allow less.
 */
async function wayTo({ host, tls }: LoginAt, { reach = reachOf, ...played }: Played): Promise<Way> {
  const guard = createGuard({ allowPrivate: true, reach, ...played })
  const addresses = isIP(host) === 0 ? await guard.resolve(host).catch(() => []) : [host]
  return {
    guard,
    mode: tls?.mode ?? (addresses.some((address) => reach(address) === 'public') ? 'verify-full' : 'prefer'),
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

/** The connection of both clients: its lookup checks the addresses of a name, or the literal address. */
class GuardedSocket extends Socket {
  readonly #guard: Guard

  constructor(guard: Guard) {
    super()
    this.#guard = guard
  }

  /** @param port as a number, or as pg passes it @param host never a path: both clients use another method for those */
  override connect(...[port, host]: unknown[]): this {
    const name = String(host)
    if (isIP(name) !== 0 && !this.#guard.allows(name)) {
      process.nextTick(() => this.destroy(new AddressRefused()))
      return this
    }
    return super.connect({ port: Number(port), host: name, lookup: this.#guard.lookup })
  }
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
function refuses(engine: 'postgres' | 'mysql', code: unknown): boolean {
  if (typeof code !== 'string') return false
  return engine === 'postgres'
    ? /^(28|3D)/.test(code)
    : ['ER_ACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR'].includes(code)
}
