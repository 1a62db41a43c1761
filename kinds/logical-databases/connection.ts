/** What the connection Secret of a logical database says (docs/reference/logical-databases.md#connection-secret). */

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

/** With a login of its own. */
export function connectionOnShared(
  engine: string,
  { host, port }: Pick<Reached, 'host' | 'port'>,
  { database, username, password }: Login,
) {
  const uri = `${schemes[engine] ?? engine}://${encodeURIComponent(username)}:${encodeURIComponent(password)}@${host}:${port}/${encodeURIComponent(database)}`
  return { host, port, database, username, password, uri }
}

/** With the server's own login; what its URI says besides - that it wants TLS, for instance - holds here, too. */
export function connectionOnOwn(engine: string, server: Reached, database: string) {
  const plain = connectionOnShared(engine, server, { database, username: server.username, password: server.password })
  const query = server.uri.indexOf('?')
  return query === -1 ? plain : { ...plain, uri: `${plain.uri}${server.uri.slice(query)}` }
}
