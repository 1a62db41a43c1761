/** Writes the connection Secret of a database and says in its record where it is. */

import type { V1Secret } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/object.ts'
import { coreTypes } from '../../cluster/resource-type.ts'
import { connectionSecretName } from '../../kinds/connection-secret.ts'
import { type Connection, connectionTexts } from '../../kinds/databases/connection.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { enginePorts, firstDatabase, serverHost } from '../../kinds/databases/names.ts'
import { canonical } from '../../kinds/digest.ts'
import { homeOf } from '../../kinds/namespaces.ts'
import { resourceTypes } from '../../kinds/resource-types.ts'
import { type Pass, waiting } from '../provision-step.ts'
import { writeStatus } from '../write-status.ts'
import { type DatabaseNeeds, readLogin, readSecret, secretLabels, specOf } from './server.ts'

export const tellConnection =
  (needs: DatabaseNeeds): Pass<Database> =>
  async (database) => {
    const spec = specOf(database)
    const { name } = database.metadata
    const login = await readLogin(needs, database)
    if (login === undefined) return waiting('starting') // lost a moment ago: the next pass makes it again
    const { username, password, operated } = login
    await keepConnection(
      needs,
      database,
      { host: serverHost(name, spec), port: enginePorts[spec.engine], database: firstDatabase(name, spec), username, password },
      operated,
    )
    return undefined
  }

/** Writes the Secret unless it says so already, then the record. */
export async function keepConnection(needs: DatabaseNeeds, database: Database, connection: Connection, operated?: boolean): Promise<void> {
  const spec = specOf(database)
  const { name, uid = '' } = database.metadata
  const namespace = homeOf(spec)
  const secret = connectionSecretName(name)
  const texts = connectionTexts(spec.engine, connection)
  const known = await readSecret(needs.client, namespace, secret, uid)
  if (known === undefined || canonical(known.texts) !== canonical(texts)) {
    const wanted: Sent<V1Secret> = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: secret,
        namespace,
        labels: secretLabels(database, spec),
        ...(known?.object.metadata.resourceVersion === undefined ? {} : { resourceVersion: known.object.metadata.resourceVersion }),
      },
      type: 'Opaque',
      stringData: texts,
    }
    await (known === undefined ? needs.client.create(coreTypes.secret, wanted) : needs.client.replace(coreTypes.secret, wanted))
  }
  const { host, port } = connection
  const told = { targetNamespace: namespace, connectionSecret: secret, host, port, ...(operated === undefined ? {} : { operated }) }
  await writeStatus<Database>(needs.client, needs.databases, resourceTypes.database, database, told)
}
