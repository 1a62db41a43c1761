/** Writes the Secret that services reach a logical database by: host and port of the server, its own name and login. */

import { connectionSecretName } from '../../kinds/connection-secret.ts'
import { systemNamespace } from '../../kinds/group.ts'
import { connectionOnOwn, connectionOnShared } from '../../kinds/logical-databases/connection.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { loginSecretName } from '../../kinds/logical-databases/names.ts'
import { namespaceOf } from '../../kinds/namespaces.ts'
import { keepSecret, readSecret } from '../kept-secret.ts'
import type { ActivityNeeds } from '../needs.ts'
import { type Pass, waiting } from '../provision-step.ts'
import { connectionLabels, isOnSharedServer } from './own-objects.ts'
import { readServerConnection } from './server.ts'

export const keepConnection =
  (needs: ActivityNeeds): Pass<LogicalDatabase> =>
  async (record) => {
    const { client } = needs
    const { project, environment, serverRef, databaseName } = record.spec
    const server = await needs.databases.read(serverRef)
    const reached = server === undefined ? undefined : await readServerConnection(client, server)
    if (server === undefined || reached === undefined) return waiting(`the connection secret of server ${serverRef} is not available`)
    const { name } = record.metadata
    let values = connectionOnOwn(server.spec.engine, reached, databaseName)
    if (isOnSharedServer(record)) {
      const login = (await readSecret(client, systemNamespace, loginSecretName(name)))?.values ?? {}
      const { database, username, password } = login
      if (database === undefined || username === undefined || password === undefined) return waiting('creating logical database')
      values = connectionOnShared(server.spec.engine, reached, { database, username, password })
    }
    await keepSecret(client, { namespace: namespaceOf(project, environment), name: connectionSecretName(name), labels: connectionLabels(record), values })
    return undefined
  }
