/**
 * Makes the logical databases of the tests. Their servers are stand-ins: records whose status says ready, with the
 * Secrets that a server has. Nothing listens there, and the pods of the Jobs are played: the scripts run on real
 * servers in test/kinds/logical-databases.
 */
import { randomBytes } from 'node:crypto'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { annotations, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { type Database, databaseSpec } from '../../kinds/databases/kind.ts'
import { adminSecretName } from '../../kinds/databases/names.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { logicalDatabaseState } from '../../kinds/logical-databases/rules.ts'
import { type LogicalDatabase, logicalDatabaseSpec } from '../../kinds/logical-databases/kind.ts'
import { homeOf, namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { createProject, type TestRecords, until, useRecords } from '../harness/records.ts'
import { useWorker } from '../harness/worker.ts'

export const serverPassword = 'of-the-server-7f3a'

export interface LogicalWorld {
  records: TestRecords
  project: Project
  /** The namespace of its environment `production`. */
  place: string
}

/** Opens a project that is set up; needs a running worker. */
export async function openLogicalWorld(spec: Partial<Project['spec']> = {}): Promise<LogicalWorld> {
  const records = await useRecords()
  const project = await createProject(records, spec)
  const ready = await until(
    records.projects,
    project,
    (record) => readyOf(record?.status?.conditions)?.status === 'True',
    'ready',
  )
  return { records, project: ready, place: namespaceOf(project.metadata.name, 'production') }
}

/** A project with a server of its own beside the shared one; both are stand-ins. */
export interface ServedWorld extends LogicalWorld {
  own: Database
  shared: Database
  onOwn(databaseName?: string, spec?: Partial<LogicalDatabase['spec']>): Promise<LogicalDatabase>
  onShared(databaseName?: string, spec?: Partial<LogicalDatabase['spec']>): Promise<LogicalDatabase>
  /** Removes everything that this world made. */
  close(): Promise<void>
}

export async function openServedWorld(): Promise<ServedWorld> {
  await useWorker()
  const world = await openLogicalWorld({ environments: ['production', 'staging'] })
  const { records, project } = world
  const own = await standInServer(world)
  const shared = await standInServer(world, { name: 'shared-postgres', project: '', environment: '' })
  const on =
    (server: Database): ServedWorld['onOwn'] =>
    (databaseName = mint('db').replace('-', '_'), spec = {}) =>
      createLogical(world, server.metadata.name, { databaseName, ...spec })
  return {
    ...world,
    own,
    shared,
    onOwn: on(own),
    onShared: on(shared),
    async close() {
      await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
      const isGone = async () => (await records.projects.readLive(project.metadata.name)) === undefined
      await eventually('the project is gone with all of them', isGone, 90_000)
      for (const server of [own, shared]) await removeServer(records, server)
    },
  }
}

export const mint = (kind: string): string => `${kind}-${randomBytes(4).toString('hex')}`

/**
 * Makes a draft, which no worker provisions, with the objects of a server that is ready, unless `change` says
 * otherwise.
 */
export async function standInServer(
  { records, project }: LogicalWorld,
  change: Partial<Database['spec']> & { name?: string } = {},
  has: { ready?: boolean; connection?: boolean; admin?: boolean } = {},
): Promise<Database> {
  const { name = mint('server'), ...fields } = change
  const spec = databaseSpec.parse({ project: project.metadata.name, environment: 'production', ...fields })
  await forget(records, resourceTypes.database, systemNamespace, name) // an earlier test may have left the shared one
  const made = await records.databases.create({
    apiVersion,
    kind: resourceTypes.database.kind,
    metadata: { name, namespace: systemNamespace },
    spec,
  })
  if (has.connection !== false) await giveConnection(records, made)
  if (has.admin !== false) await giveAdmin(records, made)
  return has.ready === false ? made : setReady(records, made, true)
}

export async function setReady(
  records: TestRecords,
  { metadata: { name } }: Database,
  ready: boolean,
): Promise<Database> {
  const condition = {
    type: 'Ready',
    status: ready ? 'True' : 'False',
    reason: 'DatabaseReady',
    message: '',
    lastTransitionTime: new Date().toISOString(),
  }
  const status = { conditions: [condition], connectionSecret: connectionSecretName(name) }
  const written = await records.client.patch<Database>(
    { type: resourceTypes.database, namespace: systemNamespace, name },
    { status },
    { subresource: 'status' },
  )
  records.databases.cache.put(written)
  return written
}

export function giveAdmin(records: TestRecords, server: Database): Promise<void> {
  return putSecret(records, server, adminSecretName(server.metadata.name), {
    username: 'postgres',
    password: serverPassword,
  })
}

/** The login that a stand-in server names. */
export const serverLogin = 'first_app'

/** @param at the address of a server that does listen */
export function giveConnection(
  records: TestRecords,
  server: Database,
  at?: { host: string; port: number },
): Promise<void> {
  const { host, port } = at ?? { host: `${server.metadata.name}-rw.${homeOf(server.spec)}.svc`, port: 5432 }
  const values = {
    host,
    port: String(port),
    database: 'first',
    username: serverLogin,
    password: serverPassword,
    uri: `postgresql://${serverLogin}:${serverPassword}@${host}:${port}/first?sslmode=require`,
  }
  return putSecret(records, server, connectionSecretName(server.metadata.name), values)
}

async function putSecret(
  { client }: TestRecords,
  { metadata, spec }: Database,
  name: string,
  values: Record<string, string>,
): Promise<void> {
  const namespace = homeOf(spec)
  await client.delete({ type: coreTypes.secret, namespace, name })
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  )
  const own = { [labels.managedBy]: managedBySvc, [labels.owner]: metadata.uid ?? '' }
  await client.create(coreTypes.secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: own },
    data,
  } as KubeObject)
}

/** Removes the objects of a stand-in server, its record last. */
export async function removeServer(records: TestRecords, { metadata: { name }, spec }: Database): Promise<void> {
  for (const secret of [connectionSecretName(name), adminSecretName(name)])
    await records.client.delete({ type: coreTypes.secret, namespace: homeOf(spec), name: secret })
  await forget(records, resourceTypes.database, systemNamespace, name)
}

async function forget(
  { client, databases }: TestRecords,
  type: ResourceType,
  namespace: string,
  name: string,
): Promise<void> {
  const there = await client.get<Database>({ type, namespace, name })
  if (there === undefined) return
  if ((there.metadata.finalizers ?? []).length > 0)
    await client.patch({ type, namespace, name }, { metadata: { finalizers: null } })
  await client.delete({ type, namespace, name })
  databases.cache.forget(there)
}

/** Creates the record as kubectl does. */
export function createLogical(
  { records, project }: LogicalWorld,
  server: string,
  spec: Partial<LogicalDatabase['spec']> = {},
  name = mint('ldb'),
): Promise<LogicalDatabase> {
  return records.logicalDatabases.create({
    apiVersion,
    kind: resourceTypes.logicalDatabase.kind,
    metadata: { name, namespace: systemNamespace },
    spec: logicalDatabaseSpec.parse({
      project: project.metadata.name,
      environment: 'production',
      serverRef: server,
      databaseName: 'shop',
      ...spec,
    }),
  })
}

export function untilSaid(
  { records }: LogicalWorld,
  record: LogicalDatabase,
  reason: string,
  message: string,
): Promise<LogicalDatabase> {
  return until(
    records.logicalDatabases,
    record,
    (seen) =>
      readyOf(seen?.status?.conditions)?.reason === reason && readyOf(seen?.status?.conditions)?.message === message,
    `${reason}: ${message}`,
  )
}

export function untilReady({ records }: LogicalWorld, record: LogicalDatabase): Promise<LogicalDatabase> {
  return until(
    records.logicalDatabases,
    record,
    (seen) => seen !== undefined && logicalDatabaseState(seen).state === 'ready',
    'ready',
  )
}

export function untilGone({ records }: LogicalWorld, record: LogicalDatabase): Promise<LogicalDatabase> {
  return until(records.logicalDatabases, record, (seen) => seen?.metadata.uid !== record.metadata.uid, 'gone')
}

export async function remove({ records }: LogicalWorld, { metadata }: LogicalDatabase): Promise<void> {
  await records.logicalDatabases.remove(metadata.name, metadata.uid ?? '')
}

/** Writes the annotation that retry-provision writes. */
export async function retry({ records }: LogicalWorld, { metadata: { name } }: LogicalDatabase): Promise<void> {
  await records.logicalDatabases.edit(name, (current) => ({
    ...current,
    metadata: {
      ...current.metadata,
      annotations: { ...current.metadata.annotations, [annotations.retry]: mint('retry') },
    },
  }))
}

export async function secretOf(
  { records }: LogicalWorld,
  namespace: string,
  name: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  const secret = await records.client.get<KubeObject & { data?: Record<string, string> }>({
    type: coreTypes.secret,
    namespace,
    name,
  })
  return secret === undefined
    ? undefined
    : Object.fromEntries(
        Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
      )
}

export function jobOf({ records }: LogicalWorld, namespace: string, name: string): Promise<KubeObject | undefined> {
  return records.client.get({ type: coreTypes.job, namespace, name })
}
