/** Tools about databases, logical databases and buckets, and the one that deletes. */
import { z } from 'zod'
import { operations, type View } from '../../contract/operations.ts'
import { itemsOf, ownerFilter, resourceName } from '../tool/arguments.ts'
import { defineTool, type ToolCall } from '../tool/tool.ts'
import { defined } from '../../contract/defined.ts'

const databaseKind = z
  .enum(['databases', 'logical-databases'])
  .default('databases')
  .describe('databases are servers; logical-databases are databases on a server, with a login of their own.')

const databaseName = resourceName('Name of the database, as list_databases shows it.')

const reads = [
  defineTool({
    name: 'list_databases',
    title: 'List databases',
    description:
      'Lists database servers (kind database: postgres, mysql, redis, sqlite) and logical databases on them (kind ' +
      'logical-database) with state and message. Without arguments those of all projects, else of the project and ' +
      'environment. Not for their content, which no tool reads.',
    effect: 'read',
    operations: ['databases.list', 'logical-databases.list'],
    input: z.strictObject(ownerFilter),
    output: operations['databases.list'].view,
    run: async (owner, call) => {
      const { client, signal } = call
      const [servers, logical] = await Promise.all([
        client.call('databases.list', owner, { signal }),
        client.call('logical-databases.list', owner, { signal }),
      ])
      return await itemsOf(owner, call, { items: [...servers.items, ...logical.items] })
    },
  }),
  defineTool({
    name: 'get_database',
    title: 'Show a database',
    description:
      'Shows one database: summary (`resource`), settings (`spec`) and what the platform reports of it (`status`). ' +
      'Secret values are blank. Not needed to know whether a database works: list_databases has its state and message.',
    effect: 'read',
    operations: ['databases.get', 'logical-databases.get'],
    input: z.strictObject({ name: databaseName, kind: databaseKind }),
    output: operations['databases.get'].view,
    run: async ({ name, kind }, { client, signal }) =>
      kind === 'databases'
        ? await client.call('databases.get', { db: name }, { signal })
        : await client.call('logical-databases.get', { logicalDatabase: name }, { signal }),
  }),
  defineTool({
    name: 'database_connection',
    title: 'Show how to reach a database',
    description:
      'Shows host, port, database, user name and the keys of the connection secret of a database. Never the ' +
      'password: services get it as variables, and people read it with `svc databases connection NAME --reveal`.',
    effect: 'read',
    operations: ['databases.connection', 'logical-databases.connection'],
    input: z.strictObject({ name: databaseName, kind: databaseKind }),
    output: operations['databases.connection'].view.omit({ password: true, uri: true, revealed: true }),
    run: async ({ name, kind }, { client, signal }) => {
      const view =
        kind === 'databases'
          ? await client.call('databases.connection', { db: name }, { signal })
          : await client.call('logical-databases.connection', { logicalDatabase: name }, { signal })
      // By name: whatever the service may add, a secret is not passed on.
      return { keys: view.keys, host: view.host, port: view.port, database: view.database, username: view.username }
    },
  }),
  defineTool({
    name: 'list_buckets',
    title: 'List buckets',
    description:
      'Lists object stores: the buckets of projects, and the object server of the cluster, with state and message. ' +
      'Without arguments those of all projects. Not for the objects in a bucket, which no tool reads.',
    effect: 'read',
    operations: ['object-stores.list'],
    input: z.strictObject(ownerFilter),
    output: operations['object-stores.list'].view,
    run: async (owner, call) =>
      await itemsOf(owner, call, await call.client.call('object-stores.list', owner, { signal: call.signal })),
  }),
]

const deletableKinds = ['apps', 'databases', 'object-stores', 'logical-databases'] as const

const deleteResource = defineTool({
  name: 'delete_resource',
  title: 'Delete for good',
  description:
    'Deletes a service, database, bucket or logical database for good, with all its data; nothing brings it back. ' +
    '`confirm` must repeat the name. Only when the user asked for exactly this deletion. Returns once the deletion ' +
    'has begun. Never to repair something or to free storage.',
  effect: 'destructive-change',
  deletes: true,
  operations: ['apps.delete', 'databases.delete', 'object-stores.delete', 'logical-databases.delete'],
  input: z.strictObject({
    kind: z.enum(deletableKinds).describe('What is deleted; apps are services, object-stores are buckets.'),
    name: resourceName('Name of what is deleted.'),
    confirm: z.string().describe('The same name again.'),
  }),
  output: z.object({
    kind: z.enum(deletableKinds),
    name: z.string(),
    deleting: z.literal(true),
    stays: z.array(z.string()).optional().describe('What is left in a cloud.'),
  }),
  run: async ({ kind, name, confirm }, call) => {
    const view = await removals[kind](call, name, confirm)
    const stays = 'stays' in view ? view.stays : undefined
    return { kind, name, deleting: true as const, ...defined({ stays }) }
  },
})

type Removal = (
  call: Pick<ToolCall, 'client' | 'signal'>,
  name: string,
  confirmName: string,
) => Promise<View<'apps.delete' | 'databases.delete'>>

const removals: Readonly<Record<(typeof deletableKinds)[number], Removal>> = {
  apps: ({ client, signal }, app, confirmName) => client.call('apps.delete', { app, confirmName }, { signal }),
  databases: ({ client, signal }, db, confirmName) => client.call('databases.delete', { db, confirmName }, { signal }),
  'object-stores': ({ client, signal }, store, confirmName) =>
    client.call('object-stores.delete', { store, confirmName }, { signal }),
  'logical-databases': ({ client, signal }, logicalDatabase, confirmName) =>
    client.call('logical-databases.delete', { logicalDatabase, confirmName }, { signal }),
}

export const dataTools = [...reads, deleteResource]
