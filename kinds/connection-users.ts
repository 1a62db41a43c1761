/** The resources that use a cloud connection; the connection is held as long as there are any. */
import type { Database } from './databases/kind.ts'
import type { ObjectStore } from './object-stores/kind.ts'

/** Names of the resources that could not be removed without this connection. */
export function usersOf(connection: string, stores: readonly ObjectStore[], databases: readonly Database[]): string[] {
  const ofStores = stores.filter(
    ({ spec, status }) => spec.connectionRef.name === connection || status?.remote?.connection === connection,
  )
  const ofDatabases = databases.filter(({ spec }) => spec.connectionRef?.name === connection)
  return [...ofStores, ...ofDatabases].map(({ metadata }) => metadata.name).sort()
}
