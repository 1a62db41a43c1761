/** Connects to an external server: logs in with the login of the record, which then stands in the connection Secret. */

import { textAt } from '../../cluster/objects/secret-data.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { enginePorts } from '../../kinds/databases/names.ts'
import { isHandMadeFor } from '../../kinds/secrets/named-secret.ts'
import { isSqlEngine } from '../../kinds/sql-engines.ts'
import { type LoginAt, sslModes, tlsIn } from '../../outside/databases/connect.ts'
import { tryLogin } from '../../outside/databases/login.ts'
import { UpstreamError } from '../../outside/trouble.ts'
import { readNamedSecret } from '../../records/secrets/named-secret.ts'
import { failing, type Pass, permanent, type Unmet, waiting } from '../provision/step.ts'
import { type DatabaseNeeds, specOf } from './server.ts'
import { keepConnection } from './write-connection.ts'

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
    const found = await secretAt(needs, spec.project, ref)
    if (!('password' in found)) return found
    const { password, tls } = found
    const at = { host, port: spec.externalPort ?? enginePorts[engine], database: databaseAt(spec), username, password }
    try {
      await tryLogin(engine, { ...at, tls }, withinMs)
    } catch (error) {
      if (error instanceof UpstreamError) return error.passing ? waiting(error.message) : failing(error.message)
      throw error
    }
    await keepConnection(needs, database, at)
    return undefined
  }

/** Without a name, the database that every postgres has; mysql needs none. */
const databaseAt = ({ databaseName, engine }: Pick<Database['spec'], 'databaseName' | 'engine'>): string =>
  databaseName !== '' || engine !== 'postgres' ? databaseName : 'postgres'

/**
 * Beside the record, as the schema says. The Secret must be made by hand and labelled for the project: else a writer of
 * records could have any value of svc-system sent to a host of his own, the keys and tokens that svc itself labels for
 * the project among them. Its keys `sslmode` and `ca.crt` say how the connection is to be secured.
 */
export async function secretAt(
  { client }: Pick<DatabaseNeeds, 'client'>,
  project: string,
  { name, key }: { name: string; key: string },
): Promise<{ password: string; tls: NonNullable<LoginAt['tls']> } | Unmet> {
  const secret = await readNamedSecret(client, name, isHandMadeFor(project))
  if (secret === undefined) return waiting(`waiting for a Secret ${name} with the label ${labels.project}=${project}`)
  const password = textAt(secret, key)
  if (password === undefined) return waiting(`waiting for the key ${key} of the Secret ${name}`)
  const tls = tlsIn({ sslmode: textAt(secret, 'sslmode'), ca: textAt(secret, 'ca.crt') })
  if (tls === 'unknown') return waiting(`waiting for an sslmode in the Secret ${name}: ${sslModes.join(', ')}`)
  return { password, tls }
}
