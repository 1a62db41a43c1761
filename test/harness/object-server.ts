/**
 * The object server of the simulated cluster. Its pod runs no process there, so a real MinIO runs beside the cluster,
 * with the login that svc made for the pod, and the worker gets its address.
 */
import { randomBytes } from 'node:crypto'
import type { V1Secret } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { objectServerName } from '../../kinds/object-stores/draft.ts'
import { type ObjectStore, objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { rootSecretName } from '../../kinds/object-stores/names.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { freePort } from '../../one-machine/processes/index.ts'
import { eventually } from '../cluster/eventually.ts'
import { forgetRecords } from './forget-records.ts'
import { type Minio, startMinio } from './minio.ts'
import { createProject, type TestRecords, until, useRecords } from './records.ts'
import { useStack } from './stack.ts'
import { type TestWorker, withoutWorker } from './worker.ts'

/** A free address for the setting of the worker; no server listens there yet. */
export async function chooseAddress(): Promise<{ port: number; env: Record<string, string> }> {
  const port = await freePort()
  return { port, env: { SVC_OBJECT_SERVER_ENDPOINT: `http://127.0.0.1:${port}` } }
}

/** The decoded values of a Secret; undefined when it does not exist. */
export async function secretValues(namespace: string, name: string): Promise<Record<string, string> | undefined> {
  const { client } = await useStack()
  const secret = await client.get<Sent<V1Secret>>({ type: coreTypes.secret, namespace, name })
  if (secret === undefined) return undefined
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  )
}

/** Creates a record as `kubectl apply` would, without what the api adds. */
export function createStore(
  { objectStores }: TestRecords,
  name: string,
  spec: object,
  annotations: Record<string, string> = {},
): Promise<ObjectStore> {
  return objectStores.create({
    apiVersion,
    kind: resourceTypes.objectStore.kind,
    metadata: { name, namespace: systemNamespace, annotations },
    spec: objectStoreSpec.parse({ engine: 'Local', ...spec }),
  })
}

/** A bucket of the project's production environment. */
export function createBucketStore(
  records: TestRecords,
  project: Project,
  spec: object = { buckets: ['data'] },
  name = `store-${randomBytes(4).toString('hex')}`,
): Promise<ObjectStore> {
  return createStore(records, name, {
    project: project.metadata.name,
    environment: 'production',
    ...spec,
  })
}

export const createObjectServer = (records: TestRecords, spec: object = {}): Promise<ObjectStore> =>
  createStore(records, objectServerName, spec)

/** Starts the MinIO that stands in for the server's pod, once svc has made its login. */
export async function playObjectServer(port: number): Promise<Minio> {
  let root: Record<string, string> | undefined
  await eventually(
    'the root Secret',
    async () => (root = await secretValues(systemNamespace, rootSecretName(objectServerName))) !== undefined,
    45_000,
  )
  return startMinio({ accessKey: root?.['username'] ?? '', secretKey: root?.['password'] ?? '' }, port)
}

export const untilSaid = (
  { objectStores }: TestRecords,
  store: ObjectStore,
  message: string | RegExp,
): Promise<ObjectStore> =>
  until(
    objectStores,
    store,
    (record) => {
      const said = readyOf(record?.status?.conditions)?.message ?? ''
      return typeof message === 'string' ? said === message : message.test(said)
    },
    String(message),
  )

/** Waits until its present spec is ready. */
export const untilReady = ({ objectStores }: TestRecords, store: ObjectStore): Promise<ObjectStore> =>
  until(
    objectStores,
    store,
    (record) =>
      readyOf(record?.status?.conditions)?.status === 'True' &&
      record?.status?.observedIntent === record?.status?.acceptedIntent,
    'ready',
  )

export const untilGone = ({ objectStores }: TestRecords, store: ObjectStore): Promise<ObjectStore> =>
  until(objectStores, store, (record) => record === undefined || record.metadata.uid !== store.metadata.uid, 'gone')

/** Requests the deletion and waits for its end. */
export async function removeStore(records: TestRecords, store: ObjectStore): Promise<void> {
  await records.objectStores.remove(store.metadata.name, store.metadata.uid ?? '')
  await untilGone(records, store)
}

export interface ObjectServerWorld {
  records: TestRecords
  project: Project
  minio: Minio
  server: ObjectStore
  /** The server's name for a bucket of the project's production environment. */
  stored(bucket: string): string
  /** The connection Secret of a bucket of that environment. */
  connection(store: ObjectStore): Promise<Record<string, string>>
  /** Stops the worker; `end` needs a new one. */
  stopWorker(): Promise<void>
  end(): Promise<void>
}

/** A ready server and a project for buckets. Starts the worker with the required settings. */
export async function openObjectServer(
  startWorker: (env: Record<string, string>) => Promise<TestWorker>,
): Promise<ObjectServerWorld> {
  const records = await useRecords()
  await withoutWorker()
  // The cluster has one object server, which stays as long as it has a bucket: buckets of other test files must not
  // keep this one.
  await forgetRecords()
  const { port, env } = await chooseAddress()
  const worker = await startWorker(env)
  const project = await createProject(records)
  const created = await createObjectServer(records)
  const minio = await playObjectServer(port)
  const server = await untilReady(records, created)
  const namespace = namespaceOf(project.metadata.name, 'production')
  return {
    records,
    project,
    minio,
    server,
    stored: (bucket) => `${project.metadata.name}.production.${bucket}`,
    connection: async ({ metadata }) => (await secretValues(namespace, `${metadata.name}-connection`)) ?? {},
    stopWorker: () => worker.stop(),
    async end() {
      await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
      await until(records.projects, project, (record) => record === undefined, 'gone')
      await removeStore(records, server)
      await worker.stop()
      await minio.stop()
    },
  }
}
