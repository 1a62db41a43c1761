/** Finds external databases whose login does not work any more. */
import { databaseVariant } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { enginePorts } from '../../kinds/databases/names.ts'
import { isSqlEngine } from '../../kinds/sql-engines.ts'
import { serverText } from '../../records/secrets/external-login.ts'
import { findConnectionSecret } from '../kube/connection-secret.ts'
import { secretAt } from './connect-external.ts'
import { type Login, loginIn, findLostLogins } from '../provision/check-logins.ts'
import { type DatabaseNeeds, specOf } from './server.ts'

type Needs = Pick<DatabaseNeeds, 'client' | 'databases'>

/**
 * Ready databases of mode Connect whose server refuses the login in the connection Secret, or whose password has
 * changed in the Secret that the record names. Databases of servers that do not answer are left out.
 */
export async function lostElsewhere({ client, databases }: Needs): Promise<Database[]> {
  const renewed: Database[] = []
  const loginOf = async (database: Database): Promise<Login | undefined> => {
    const { engine, externalPasswordRef: ref, externalHost = '', externalPort } = specOf(database)
    const login = loginIn(await findConnectionSecret(client, database))
    if (login === undefined || ref === undefined || !isSqlEngine(engine)) return undefined
    const server = serverText(externalHost, externalPort ?? enginePorts[engine])
    const named = await secretAt({ client }, database, ref, server)
    if (!('password' in named)) return { engine, ...login }
    if (named.password === login.password) return { engine, ...login, tls: named.tls }
    renewed.push(database)
    return undefined
  }
  const lost = await findLostLogins(
    databases.cache.list().filter((database) => databaseVariant(specOf(database)) === 'connect'),
    {
      serverOf: ({ spec }) => `${spec.externalHost}:${spec.externalPort}`,
      loginOf,
      isLoss: (_, { passing }) => !passing,
    },
  )
  return [...renewed, ...lost]
}
