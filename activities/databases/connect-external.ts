/** Connects to an external server: tries the login of the record, then writes it to the connection Secret. */
import { sslModes } from '../../contract/fields/words.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { enginePorts } from '../../kinds/databases/names.ts'
import { isSqlEngine } from '../../kinds/sql-engines.ts'
import { type LoginAt, tlsIn } from '../../outside/databases/connect.ts'
import { tryLogin } from '../../outside/databases/login.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { readExternalLogin, serverText } from '../../records/secrets/external-login.ts'
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
    const port = spec.externalPort ?? enginePorts[engine]
    const found = await secretAt(needs, database, ref, serverText(host, port))
    if (!('password' in found)) return found
    const { password, tls } = found
    const at = { host, port, database: databaseAt(spec), username, password }
    try {
      await tryLogin(engine, { ...at, tls }, withinMs)
    } catch (error) {
      if (error instanceof UpstreamError) return error.passing ? waiting(error.message) : failing(error.message)
      throw error
    }
    await keepConnection(needs, database, at)
    return undefined
  }

/** The database to log in to: without a name the one that every postgres has; mysql needs none. */
const databaseAt = ({ databaseName, engine }: Pick<Database['spec'], 'databaseName' | 'engine'>): string =>
  databaseName !== '' || engine !== 'postgres' ? databaseName : 'postgres'

/**
 * Password and TLS settings for this server (`host:port`), from the Secret that the record names; its keys `sslmode`
 * and `ca.crt` are the TLS settings.
 */
export async function secretAt(
  { client }: Pick<DatabaseNeeds, 'client'>,
  database: Database,
  ref: { name: string; key: string },
  server: string,
): Promise<{ password: string; tls: NonNullable<LoginAt['tls']> } | Unmet> {
  const { name, key } = ref
  const { project } = specOf(database)
  const found = await readExternalLogin(client, { project, database: database.metadata.name }, ref, server)
  if (found === 'none') return waiting(`waiting for a Secret ${name} with the label ${labels.project}=${project}`)
  if (found === 'elsewhere') return failing(`the login was given for another host than ${server}; change the login`)
  const { password, ...texts } = found.texts
  if (password === undefined) return waiting(`waiting for the key ${key} of the Secret ${name}`)
  const tls = tlsIn(texts)
  if (tls === 'unknown') return waiting(`waiting for an sslmode in the Secret ${name}: ${sslModes.join(', ')}`)
  return { password, tls }
}
