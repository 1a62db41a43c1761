/** Databases, logical databases and buckets: their names, and the operations that they share. */
import type { Client } from '../../client/client.ts'
import type { RecordView } from '../../client/wait/record.ts'
import type { ParamsInput, View } from '../../contract/operations.ts'
import type { ResourceSummary } from '../../contract/views/resource.ts'
import type { Columns } from '../output/list.ts'
import { detailText } from '../output/value-text.ts'

/** Names of arguments for which the shell completes. */
type RecordArgument = 'database' | 'logical-database' | 'store'

type Ask<Answer> = (client: Client, name: string, signal: AbortSignal) => Promise<Answer>
type Done = View<'databases.delete'>
type Connection = View<'databases.connection'>
type AskedBackup = View<'databases.backup'>

export interface RecordKind {
  readonly noun: string
  readonly plural: string
  readonly argument: RecordArgument
  /** `svc databases` */
  readonly command: string
  /** Its word on the change stream. */
  readonly resource: string
  /** How it is provisioned: by a deploy, or by its creation alone. */
  readonly work: 'deploy' | 'creation'
  /** The list columns of this kind alone, by name. */
  readonly columns: Columns<ResourceSummary>
  readonly list: (
    client: Client,
    query: ParamsInput<'databases.list'>,
    signal: AbortSignal,
  ) => Promise<View<'databases.list'>>
  readonly read: Ask<RecordView>
  readonly remove: Ask<Done>
  /** For kinds that may be in a cloud: deletes the record without calling the cloud. */
  readonly abandon?: Ask<Done>
  /** For kinds whose deletion waits for a last backup: deletes without it. */
  readonly removeAtOnce?: Ask<Done>
  readonly retry: Ask<Done>
  readonly backup: Ask<AskedBackup>
  /** Which of them are backed up, for help. */
  readonly backedUp: string
}

export interface DeployedKind extends RecordKind {
  readonly deploy: Ask<Done>
  readonly discard: Ask<Done>
  /** For kinds whose new version waits for a backup: deploys without it. */
  readonly deployAtOnce?: Ask<Done>
}

export interface ReachedKind extends RecordKind {
  readonly connection: (
    client: Client,
    name: string,
    reveal: { reveal?: true },
    signal: AbortSignal,
  ) => Promise<Connection>
}

const column =
  (name: string) =>
  ({ details }: ResourceSummary): string =>
    detailText(details[name])

export const databaseKind: DeployedKind & ReachedKind = {
  noun: 'database',
  plural: 'databases',
  argument: 'database',
  command: 'databases',
  resource: 'databases',
  work: 'deploy',
  columns: { engine: column('engine'), version: column('version') },
  list: async (client, query, signal) => await client.call('databases.list', query, { signal }),
  read: async (client, db, signal) => await client.call('databases.get', { db }, { signal }),
  remove: async (client, db, signal) => await client.call('databases.delete', { db, confirmName: db }, { signal }),
  abandon: async (client, db, signal) =>
    await client.call('databases.delete', { db, confirmName: db, abandon: true }, { signal }),
  removeAtOnce: async (client, db, signal) =>
    await client.call('databases.delete', { db, confirmName: db, backupFirst: false }, { signal }),
  retry: async (client, db, signal) => await client.call('databases.retry-provision', { db }, { signal }),
  backup: async (client, db, signal) => await client.call('databases.backup', { db }, { signal }),
  backedUp: 'a database',
  discard: async (client, db, signal) => await client.call('databases.discard', { db }, { signal }),
  deploy: async (client, db, signal) => await client.call('databases.deploy', { db }, { signal }),
  deployAtOnce: async (client, db, signal) =>
    await client.call('databases.deploy', { db, backupFirst: false }, { signal }),
  connection: async (client, db, reveal, signal) =>
    await client.call('databases.connection', { db, ...reveal }, { signal }),
}

export const logicalDatabaseKind: ReachedKind = {
  noun: 'logical database',
  plural: 'logical databases',
  argument: 'logical-database',
  command: 'logical-databases',
  resource: 'logical-databases',
  work: 'creation',
  columns: { server: column('server'), database: column('database') },
  list: async (client, query, signal) => await client.call('logical-databases.list', query, { signal }),
  read: async (client, name, signal) =>
    await client.call('logical-databases.get', { logicalDatabase: name }, { signal }),
  remove: async (client, name, signal) =>
    await client.call('logical-databases.delete', { logicalDatabase: name, confirmName: name }, { signal }),
  removeAtOnce: async (client, name, signal) => {
    const fields = { logicalDatabase: name, confirmName: name, backupFirst: false }
    return await client.call('logical-databases.delete', fields, { signal })
  },
  retry: async (client, name, signal) =>
    await client.call('logical-databases.retry-provision', { logicalDatabase: name }, { signal }),
  backup: async (client, name, signal) =>
    await client.call('logical-databases.backup', { logicalDatabase: name }, { signal }),
  backedUp: 'a logical database on the shared server',
  connection: async (client, name, reveal, signal) =>
    await client.call('logical-databases.connection', { logicalDatabase: name, ...reveal }, { signal }),
}

export const storeKind: DeployedKind = {
  noun: 'bucket',
  plural: 'buckets',
  argument: 'store',
  command: 'stores',
  resource: 'object-stores',
  work: 'deploy',
  columns: { buckets: ({ details: { buckets } }) => (Array.isArray(buckets) ? buckets.join(', ') : '') },
  list: async (client, query, signal) => await client.call('object-stores.list', query, { signal }),
  read: async (client, store, signal) => await client.call('object-stores.get', { store }, { signal }),
  remove: async (client, store, signal) =>
    await client.call('object-stores.delete', { store, confirmName: store }, { signal }),
  abandon: async (client, store, signal) =>
    await client.call('object-stores.delete', { store, confirmName: store, abandon: true }, { signal }),
  removeAtOnce: async (client, store, signal) =>
    await client.call('object-stores.delete', { store, confirmName: store, backupFirst: false }, { signal }),
  retry: async (client, store, signal) => await client.call('object-stores.retry-provision', { store }, { signal }),
  backup: async (client, store, signal) => await client.call('object-stores.backup', { store }, { signal }),
  backedUp: 'a bucket on the object server',
  discard: async (client, store, signal) => await client.call('object-stores.discard', { store }, { signal }),
  deploy: async (client, store, signal) => await client.call('object-stores.deploy', { store }, { signal }),
}

export const recordKinds = [databaseKind, logicalDatabaseKind, storeKind] as const
