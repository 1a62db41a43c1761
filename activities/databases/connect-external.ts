/** Connects to a server that somebody else runs: really asked with the login that the record names, which then stands in the connection Secret. */

import { labels } from '../../kinds/annotations.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { enginePorts } from '../../kinds/databases/names.ts'
import { isHandMadeFor } from '../../kinds/named-secret.ts'
import { isSqlEngine } from '../../kinds/sql-engines.ts'
import { tryLogin } from '../../outside/databases/login.ts'
import { OutsideTrouble } from '../../outside/trouble.ts'
import { readNamedSecret } from '../../records/named-secret.ts'
import { failing, type Pass, permanent, type Unmet, waiting } from '../provision-step.ts'
import { type DatabaseNeeds, specOf } from './server.ts'
import { keepConnection } from './tell-connection.ts'

const withinMs = 10_000

export const connectExternal =
  (needs: DatabaseNeeds): Pass<Database> =>
  async (database) => {
    const spec = specOf(database)
    const { engine, externalHost: host, externalUsername: username, externalPasswordRef: ref } = spec
    if (!isSqlEngine(engine)) return permanent('an external database must be postgres or mysql')
    if (host === undefined || username === undefined || ref === undefined) {
      return permanent('an external database needs externalHost, externalUsername and externalPasswordRef')
    }
    const found = await passwordAt(needs, spec.project, ref)
    if (typeof found !== 'string') return found
    const at = { host, port: spec.externalPort ?? enginePorts[engine], database: databaseAt(spec), username, password: found }
    try {
      await tryLogin(engine, at, withinMs)
    } catch (error) {
      if (error instanceof OutsideTrouble) return error.passing ? waiting(error.message) : failing(error.message)
      throw error
    }
    await keepConnection(needs, database, at)
    return undefined
  }

/** Without a name postgres has this one for everybody; mysql needs none. */
const databaseAt = ({ databaseName, engine }: Pick<Database['spec'], 'databaseName' | 'engine'>): string =>
  databaseName !== '' || engine !== 'postgres' ? databaseName : 'postgres'

/**
 * Beside the record, as the schema says. The Secret must be made by hand and labelled for the project: else whoever may write a record could
 * have any value of svc-system sent to a host of his own, the keys and tokens that svc itself labels for the project among them.
 */
export async function passwordAt(
  { client }: Pick<DatabaseNeeds, 'client'>,
  project: string,
  { name, key }: { name: string; key: string },
): Promise<string | Unmet> {
  const secret = await readNamedSecret(client, name, isHandMadeFor(project))
  if (secret === undefined) return waiting(`waiting for a Secret ${name} with the label ${labels.project}=${project}`)
  const value = secret.data?.[key]
  return value === undefined ? waiting(`waiting for the key ${key} of the Secret ${name}`) : Buffer.from(value, 'base64').toString('utf8')
}
