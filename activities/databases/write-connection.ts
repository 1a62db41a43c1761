/** Writes the connection Secret of a database, and its name and address to the status. */
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { type Connection, connectionTexts } from '../../kinds/databases/connection.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { enginePorts, firstDatabase, serverHost } from '../../kinds/databases/names.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { writeConnectionSecret } from '../kube/connection-secret.ts'
import { type Pass, waiting } from '../provision/step.ts'
import { writeStatus } from '../kube/write-status.ts'
import { type DatabaseNeeds, readLogin, specOf } from './server.ts'
import { defined } from '../../contract/defined.ts'

export const writeConnection =
  (needs: DatabaseNeeds): Pass<Database> =>
  async (database) => {
    const spec = specOf(database)
    const { name } = database.metadata
    const login = await readLogin(needs, database)
    if (login === undefined) return waiting('starting') // the Secret was lost a moment ago: the next pass creates it
    const { username, password, operated } = login
    await keepConnection(
      needs,
      database,
      {
        host: serverHost(name, spec),
        port: enginePorts[spec.engine],
        database: firstDatabase(name, spec),
        username,
        password,
      },
      operated,
    )
    return undefined
  }

/** Writes the connection Secret unless it has this content, then the status. */
export async function keepConnection(
  needs: DatabaseNeeds,
  database: Database,
  connection: Connection,
  operated?: boolean,
): Promise<void> {
  const spec = specOf(database)
  await writeConnectionSecret(needs.client, database, connectionTexts(spec.engine, connection))
  const { host, port } = connection
  const connectionSecret = connectionSecretName(database.metadata.name)
  const change = {
    targetNamespace: homeOf(spec),
    connectionSecret,
    host,
    port,
    ...defined({ operated }),
  }
  await writeStatus<Database>(needs.client, needs.databases, resourceTypes.database, database, change)
}
