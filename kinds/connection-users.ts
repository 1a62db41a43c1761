/** What uses a cloud connection, so that the connection is held as long. */
import type { Database } from './databases/kind.ts'
import type { ObjectStore } from './object-stores/kind.ts'

/** Names of what could not be taken down without this connection. */
export function usersOf(connection: string, stores: readonly ObjectStore[], databases: readonly Database[]): string[] {
  const ofStores = stores.filter(
    ({ spec, status }) => spec.connectionRef.name === connection || status?.remote?.connection === connection,
  )
  const ofDatabases = databases.filter(({ spec }) => spec.connectionRef?.name === connection)
  return [...ofStores, ...ofDatabases].map(({ metadata }) => metadata.name).sort()
}
