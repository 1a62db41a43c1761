/**
 * Services, databases and buckets are found by their name alone. Where -p or -e is on the command line, a command works
 * only on what is there (docs/reference/command-line.md#naming-a-place).
 */
import type { Client } from '../../client/client.ts'
import type { OperationId } from '../../contract/operations.ts'
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { placeText } from './place.ts'
import type { PlaceAsked } from './target.ts'

type Place = Pick<ResourceSummary, 'name' | 'project' | 'environment'>

/**
 * The client, which before the first call about a record reads where that is.
 * @throws CliError `usage` from a call about a record in another place than the flags say.
 */
export function onlyInSaidPlace(session: PlaceAsked, client: Client): Client {
  const { project, environment } = session.flags
  if (project === undefined && environment === undefined) return client
  const found = new Set<string>()
  return {
    ...client,
    async call(id, params, options) {
      const named = namedBy(id, params)
      if (named !== undefined && !found.has(named.join('/'))) {
        const [kind, name] = named
        await placeText(session, client, await readers[kind](client, name, options?.signal ?? session.signal))
        found.add(named.join('/'))
      }
      return await client.call(id, params, options)
    },
  }
}

const readers = {
  app: async (client: Client, app: string, signal: AbortSignal): Promise<Place> =>
    await client.call('apps.status', { app }, { signal }),
  db: async (client: Client, db: string, signal: AbortSignal): Promise<Place> =>
    (await client.call('databases.get', { db }, { signal })).resource,
  store: async (client: Client, store: string, signal: AbortSignal): Promise<Place> =>
    (await client.call('object-stores.get', { store }, { signal })).resource,
  logicalDatabase: async (client: Client, logicalDatabase: string, signal: AbortSignal): Promise<Place> =>
    (await client.call('logical-databases.get', { logicalDatabase }, { signal })).resource,
}

type Kind = keyof typeof readers
const kinds = ['app', 'db', 'store', 'logicalDatabase'] as const satisfies Kind[]

/**
 * The record that an operation is about. What `get` reads says where it is by itself, and with a place among its
 * parameters an operation is about a new record, or about none.
 */
function namedBy(id: OperationId, params: object): readonly [Kind, string] | undefined {
  if ('project' in params || id.endsWith('.get')) return undefined
  for (const kind of kinds) {
    const name: unknown = Reflect.get(params, kind)
    if (typeof name === 'string' && name !== '') return [kind, name]
  }
  return undefined
}
