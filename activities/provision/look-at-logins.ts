/** Whether logins still get into their databases, which no watch shows: tried once in a while, as their services do. */
import { randomInt } from 'node:crypto'
import type { SqlEngine } from '../../kinds/sql-engines.ts'
import type { ReconciledRecord } from '../../kinds/provision/plan.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import type { LoginAt } from '../../outside/databases/connect.ts'
import { tryLogin } from '../../outside/databases/login.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { eachAtOnce } from '../context/at-once.ts'

/** A server answers in a few milliseconds. */
const loginMs = 2_000
/** Of one look; what it does not reach is reached by another, since each begins elsewhere. */
const lookMs = 60_000

/** Codes that a server says, e.g. that this login has no connection left; others are the network's. */
const isSaid = /^(\d|ER_)/

export interface Login extends LoginAt {
  engine: SqlEngine
}

export interface Looks<T> {
  /** The server that a record's login is at: once it does not answer, no other record of it is asked in this look. */
  serverOf: (record: T) => string
  /** The login as services have it; undefined where it is incomplete or not to be tried. */
  loginOf: (record: T) => Promise<Login | undefined>
  /** Whether the server's refusal of the login means that something was lost. */
  isLoss: (record: T, said: UpstreamError) => boolean
}

/** Ready records that their login no longer gets into; none of servers that do not answer. */
export async function lostToLogins<T extends ReconciledRecord>(
  records: readonly T[],
  { serverOf, loginOf, isLoss }: Looks<T>,
): Promise<T[]> {
  const ready = records.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined && readyOf(status?.conditions)?.status === 'True',
  )
  const deadline = performance.now() + lookMs
  const lost: T[] = []
  // One login of a server at a time, which may have few connections to give, and several servers at once, most of which
  // are silent.
  await eachAtOnce(turned([...Map.groupBy(ready, serverOf).values()]), async (ofServer) => {
    for (const record of turned(ofServer)) {
      if (performance.now() > deadline) return
      const login = await loginOf(record)
      const said = login === undefined ? undefined : await refusalOf(login)
      if (said === undefined) continue
      // The others of a silent server would only wait for it, too.
      if (said.passing && !isSaid.test(said.code)) return
      if (isLoss(record, said)) lost.push(record)
    }
  })
  return lost
}

/** The same things beginning with a random one, so that over several looks each is among the first. */
function turned<T>(things: readonly T[]): T[] {
  const first = things.length === 0 ? 0 : randomInt(things.length)
  return [...things.slice(first), ...things.slice(0, first)]
}

/** Undefined when the server takes the login. */
async function refusalOf({ engine, ...at }: Login): Promise<UpstreamError | undefined> {
  try {
    await tryLogin(engine, at, loginMs)
    return undefined
  } catch (error) {
    if (error instanceof UpstreamError) return error
    throw error
  }
}

/** A login as it stands in a connection Secret; undefined where the Secret is not whole. */
export function loginIn(texts: Readonly<Record<string, string>> | undefined): LoginAt | undefined {
  const { host, port, database, username, password } = texts ?? {}
  if (host === undefined || database === undefined || username === undefined || password === undefined) return undefined
  return { host, port: Number(port), database, username, password }
}
