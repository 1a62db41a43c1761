/** Writes the connection Secret of a logical database: host and port of the server, its own name and login. */
import { connectionOnOwn, connectionOnShared } from '../../kinds/logical-databases/connection.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { keepSecret, readOwnSecret } from '../kube/own-secret.ts'
import { type Pass, waiting } from '../provision/step.ts'
import { connectionSecretOf, isOnSharedServer, loginSecretOf } from './own-objects.ts'
import { readServerConnection } from './server.ts'

export const keepConnection =
  (needs: ActivityNeeds): Pass<LogicalDatabase> =>
  async (record) => {
    const { client } = needs
    const { serverRef, databaseName } = record.spec
    const server = await needs.databases.read(serverRef)
    const reached = server === undefined ? undefined : await readServerConnection(client, server)
    if (server === undefined || reached === undefined)
      return waiting(`the connection secret of server ${serverRef} is not available`)
    let values = connectionOnOwn(server.spec.engine, reached, databaseName)
    if (isOnSharedServer(record)) {
      const login = (await readOwnSecret(client, loginSecretOf(record)))?.values ?? {}
      const { database, username, password } = login
      if (database === undefined || username === undefined || password === undefined)
        return waiting('creating logical database')
      values = connectionOnShared(server.spec.engine, reached, { database, username, password })
    }
    await keepSecret(client, connectionSecretOf(record), values)
    return undefined
  }
