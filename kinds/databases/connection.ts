/** The texts of a database's connection Secret. */
import type { DatabaseSpec } from './kind.ts'

/** Has a password in it: it never leaves the activity that writes it. */
export interface Connection {
  host: string
  port: number
  database: string
  username: string
  password: string
}

/** `{host, port, database, username, password, uri}` (docs/reference/databases.md#how-a-server-is-made). */
export function connectionTexts(engine: DatabaseSpec['engine'], connection: Connection): Record<string, string> {
  const { host, port, database, username, password } = connection
  return { host, port: String(port), database, username, password, uri: uriOf(engine, connection) }
}

function uriOf(engine: DatabaseSpec['engine'], { host, port, database, username, password }: Connection): string {
  const [user, secret, path] = [username, password, database].map(encodeURIComponent)
  if (engine === 'redis') return `redis://:${secret}@${host}:${port}`
  if (engine === 'sqlite') return `http://${user}:${secret}@${host}:${port}`
  return `${engine === 'postgres' ? 'postgresql' : 'mysql'}://${user}:${secret}@${host}:${port}/${path}`
}
