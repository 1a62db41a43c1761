/** Whether logins still open their databases, which no watch shows: the resync tries them, as their services do. */
import { randomInt } from 'node:crypto'
import type { SqlEngine } from '../../kinds/sql-engines.ts'
import type { ReconciledRecord } from '../../kinds/provision/plan.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import type { LoginAt } from '../../outside/databases/connect.ts'
import { tryLogin } from '../../outside/databases/login.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { eachAtOnce } from '../context/at-once.ts'

/** Limit of one login; a healthy server answers in a few milliseconds. */
const loginMs = 2_000
/** Limit of one check of all logins; each check begins at a random record, so that later ones reach the rest. */
const checkMs = 60_000

/** Error codes of a database server, such as "too many connections"; other codes come from the network. */
const serverCode = /^(\d|ER_)/

export interface Login extends LoginAt {
  engine: SqlEngine
}

export interface LoginChecks<T> {
  /** The server of a record's login: once it does not answer, its other records are skipped in this check. */
  serverOf: (record: T) => string
  /** The login as services have it; undefined if it is incomplete or must not be tried. */
  loginOf: (record: T) => Promise<Login | undefined>
  /** Whether the server's refusal means that the login or the database was lost. */
  isLoss: (record: T, refusal: UpstreamError) => boolean
}

/** Ready records whose login no longer opens their database; those of servers that do not answer are left out. */
export async function findLostLogins<T extends ReconciledRecord>(
  records: readonly T[],
  { serverOf, loginOf, isLoss }: LoginChecks<T>,
): Promise<T[]> {
  const ready = records.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined && readyOf(status?.conditions)?.status === 'True',
  )
  const deadline = performance.now() + checkMs
  const lost: T[] = []
  // One login at a time for each server, which may have few connections left; several servers at once, since silent
  // ones cost time.
  await eachAtOnce(rotated([...Map.groupBy(ready, serverOf).values()]), async (ofServer) => {
    for (const record of rotated(ofServer)) {
      if (performance.now() > deadline) return
      const login = await loginOf(record)
      const refusal = login === undefined ? undefined : await loginError(login)
      if (refusal === undefined) continue
      // The server does not answer: its other records would only wait for it, too.
      if (refusal.passing && !serverCode.test(refusal.code)) return
      if (isLoss(record, refusal)) lost.push(record)
    }
  })
  return lost
}

/** The list rotated to begin with a random item, so that over several checks each item is among the first. */
function rotated<T>(items: readonly T[]): T[] {
  const first = items.length === 0 ? 0 : randomInt(items.length)
  return [...items.slice(first), ...items.slice(0, first)]
}

/** The error of a login; undefined if the server accepts it. */
async function loginError({ engine, ...at }: Login): Promise<UpstreamError | undefined> {
  try {
    await tryLogin(engine, at, loginMs)
    return undefined
  } catch (error) {
    if (error instanceof UpstreamError) return error
    throw error
  }
}

/** The login in a connection Secret; undefined if the Secret is incomplete. */
export function loginIn(texts: Readonly<Record<string, string>> | undefined): LoginAt | undefined {
  const { host, port, database, username, password } = texts ?? {}
  if (host === undefined || database === undefined || username === undefined || password === undefined) return undefined
  return { host, port: Number(port), database, username, password }
}
