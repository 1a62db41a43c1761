/** Finds logical databases that were removed by hand on their server. */
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { isSqlEngine } from '../../kinds/sql-engines.ts'
import { findConnectionSecret } from '../kube/connection-secret.ts'
import { type Login, loginIn, findLostLogins } from '../provision/check-logins.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { reachableHost } from '../kube/service-address.ts'
import { isOnSharedServer } from './own-objects.ts'

type Needs = Pick<ActivityNeeds, 'client' | 'databases' | 'logicalDatabases'>

const withoutDatabase = ['3D000', 'ER_BAD_DB_ERROR', 'ER_DBACCESS_DENIED_ERROR']
/**
 * Error codes for a login that does not exist, or has another password. They count on the shared server only: on a
 * project's own server the login is the server's.
 */
const withoutLogin = ['28P01', 'ER_ACCESS_DENIED_ERROR']

/** Ready logical databases whose login no longer opens them; those of servers that do not answer are left out. */
export function lostOnDatabaseServers(needs: Needs): Promise<LogicalDatabase[]> {
  return findLostLogins(needs.logicalDatabases.cache.list(), {
    serverOf: ({ spec }) => spec.serverRef,
    loginOf: (record) => loginOf(needs, record),
    isLoss: (record, { code }) =>
      [...withoutDatabase, ...(isOnSharedServer(record) ? withoutLogin : [])].includes(code),
  })
}

async function loginOf({ client, databases }: Needs, record: LogicalDatabase): Promise<Login | undefined> {
  const engine = (await databases.read(record.spec.serverRef))?.spec.engine ?? ''
  const login = loginIn(await findConnectionSecret(client, record))
  // The watch finds a connection Secret that is incomplete or another owner's.
  if (!isSqlEngine(engine) || login === undefined) return undefined
  return { engine, ...login, host: await reachableHost(client, login.host) }
}
