/** What somebody took away on a database server itself, which no watch tells: asked once in a while, as the services that use it do. */

import { randomInt } from 'node:crypto'
import { readyOf } from '../../kinds/conditions.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { isCarvable } from '../../kinds/logical-databases/server.ts'
import { tryLogin } from '../../outside/databases/login.ts'
import { OutsideTrouble } from '../../outside/trouble.ts'
import type { ActivityNeeds } from '../needs.ts'
import { readOwnSecret } from '../own-secret.ts'
import { reachableHost } from '../service-address.ts'
import { connectionSecretOf, isOnSharedServer } from './own-objects.ts'

type Needs = Pick<ActivityNeeds, 'client' | 'databases' | 'logicalDatabases'>

/** A server answers in a few milliseconds. */
const askedAtOnce = 8
const loginMs = 2_000
/** Of one look; whoever is not reached in it is with another, since each begins elsewhere. */
const lookMs = 10_000

const withoutDatabase = ['3D000', 'ER_BAD_DB_ERROR', 'ER_DBACCESS_DENIED_ERROR']
/** Said of a login that is not there, or has another password. The login on a project's own server is the server's, and not made here. */
const withoutLogin = ['28P01', 'ER_ACCESS_DENIED_ERROR']

/** Codes that a server says, e.g. that this login has no connection left; others are the network's. */
const isSaid = /^(\d|ER_)/

/** Ready logical databases that their login no longer gets into; none of servers that do not answer. */
export async function lostOnDatabaseServers(needs: Needs): Promise<LogicalDatabase[]> {
  const ready = needs.logicalDatabases.cache.list().filter(isReady)
  const first = ready.length === 0 ? 0 : randomInt(ready.length)
  const left = [...ready.slice(first), ...ready.slice(0, first)].values()
  const deadline = performance.now() + lookMs
  const silent = new Set<string>()
  const lost: LogicalDatabase[] = []
  const askNext = async (): Promise<void> => {
    for (const database of left) {
      if (performance.now() > deadline) return
      const { serverRef } = database.spec
      if (silent.has(serverRef)) continue
      const said = await refusalOf(needs, database)
      if (said === 'silence') silent.add(serverRef)
      else if ([...withoutDatabase, ...(isOnSharedServer(database) ? withoutLogin : [])].includes(said)) lost.push(database)
    }
  }
  await Promise.all(Array.from({ length: askedAtOnce }, askNext))
  return lost
}

function isReady({ metadata, status }: LogicalDatabase): boolean {
  return metadata.deletionTimestamp === undefined && readyOf(status?.conditions)?.status === 'True'
}

/** The code with which the server refuses the login that services have; '' when it takes it, `silence` when it does not answer. */
async function refusalOf({ client, databases }: Needs, record: LogicalDatabase): Promise<string> {
  const engine = (await databases.read(record.spec.serverRef))?.spec.engine ?? ''
  const { host, port, database, username, password } = (await readOwnSecret(client, connectionSecretOf(record)))?.values ?? {}
  // What is not whole here, or somebody else's, is the watch's to notice.
  if (!isCarvable(engine) || host === undefined || database === undefined || username === undefined || password === undefined) return ''
  try {
    await tryLogin(engine, { host: await reachableHost(client, host), port: Number(port), database, username, password }, loginMs)
    return ''
  } catch (error) {
    if (error instanceof OutsideTrouble) return error.passing && !isSaid.test(error.code) ? 'silence' : error.code
    throw error
  }
}
