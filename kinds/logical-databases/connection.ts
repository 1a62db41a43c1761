/** The texts of a logical database's connection Secret (docs/reference/logical-databases.md#connection-secret). */

interface Reached {
  host: string
  port: string
  username: string
  password: string
  uri: string
}

interface Login {
  database: string
  username: string
  password: string
}

const schemes: Readonly<Record<string, string>> = { postgres: 'postgresql', mysql: 'mysql' }

/** For a database on a shared server, with a login of its own. */
export function connectionOnShared(
  engine: string,
  { host, port }: Pick<Reached, 'host' | 'port'>,
  { database, username, password }: Login,
) {
  const uri = `${schemes[engine] ?? engine}://${encodeURIComponent(username)}:${encodeURIComponent(password)}@${host}:${port}/${encodeURIComponent(database)}`
  return { host, port, database, username, password, uri }
}

/**
 * For a database on the project's own server, with the server's login; the query of the server's URI, e.g. for TLS, is
 * kept.
 */
export function connectionOnOwn(engine: string, server: Reached, database: string) {
  const plain = connectionOnShared(engine, server, { database, username: server.username, password: server.password })
  const query = server.uri.indexOf('?')
  return query === -1 ? plain : { ...plain, uri: `${plain.uri}${server.uri.slice(query)}` }
}
