/** A project with callers of each kind, for the tests of databases and buckets over HTTP. */
import { randomBytes } from 'node:crypto'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes, type ResourceTypeName } from '../../kinds/meta/resource-types.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type Answer, type Asked, type TestApi, type TestApiOptions } from './test-api.ts'

export interface DataWorld {
  readonly api: TestApi
  readonly client: ClusterClient
  readonly project: string
  readonly cookie: Asked
  readonly viewer: Asked
  readonly observer: Asked
  readonly projectToken: Asked
  /** Sends the request as an admin with a token, unless `as` names another caller. */
  ask(method: string, path: string, fields?: object, as?: Asked): Promise<Answer>
  /** Creates in the environment `production` and returns the name of the record. */
  create(path: '/databases' | '/object-stores' | '/logical-databases' | '/apps', fields?: object): Promise<string>
  /** The record on the cluster. */
  record<T extends KubeObject>(type: ResourceTypeName, name: string): Promise<T | undefined>
}

export async function openDataWorld(options: TestApiOptions = {}): Promise<DataWorld> {
  const { client } = await useStack()
  const api = await startTestApi(options)
  const admin = { token: await api.token({ role: 'admin' }) }
  const ask = (method: string, path: string, fields?: object, as: Asked = admin) =>
    api.ask(method, `/api/v1${path}`, { ...as, ...(fields === undefined || method === 'GET' ? {} : { json: fields }) })
  const project: string = (await ask('POST', '/projects', {})).body.project
  return {
    api,
    client,
    project,
    cookie: { cookie: await api.signIn('admin') },
    viewer: { token: await api.token({ role: 'viewer' }) },
    observer: { token: await api.token({ role: 'observer' }) },
    projectToken: { token: await api.token({ scope: 'project', project, environment: 'production' }) },
    ask,
    async create(path, fields = {}) {
      const { status, text, body } = await ask('POST', path, { project, environment: 'production', ...fields })
      if (status !== 200) throw new Error(`POST ${path} answered ${status} ${text}`)
      return body.name
    },
    record: <T extends KubeObject>(type: ResourceTypeName, name: string) =>
      client.get<T>({ type: resourceTypes[type], namespace: systemNamespace, name }),
  }
}

/** For the tests of a `describe`: a world of their own, which is filled in before the first. */
export function useDataWorld(): DataWorld {
  const world = {} as DataWorld // by the hook below

  before(async function () {
    this.timeout(60_000)
    Object.assign(world, await openDataWorld())
  })
  after(async () => {
    await world.api.stop()
  })
  return world
}

/** Makes a cloud connection as the platform's own route does, without its keys. */
export async function makeConnection(
  { client }: Pick<DataWorld, 'client'>,
  project: string,
  provider: 'AWS' | 'PlanetScale',
): Promise<string> {
  const name = `cloud-${randomBytes(4).toString('hex')}`
  await client.create(resourceTypes.cloudConnection, {
    apiVersion,
    kind: resourceTypes.cloudConnection.kind,
    metadata: { name, namespace: systemNamespace },
    spec: { provider, project, secretRef: { name: `${name}-credentials` } },
  })
  return name
}

/** Makes the connection Secret that a finished setup leaves, in the namespace of the environment. */
export async function makeConnectionSecret(
  { client, project }: Pick<DataWorld, 'client' | 'project'>,
  name: string,
  owner: string | undefined,
  values: Record<string, string>,
  place = `${project}-production`,
): Promise<void> {
  if ((await client.get({ type: coreTypes.namespace, name: place })) === undefined)
    await client.create(coreTypes.namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: place } })
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  )
  const metadata = {
    name: `${name}-connection`,
    namespace: place,
    labels: { [labels.managedBy]: managedBySvc, [labels.owner]: owner ?? '' },
  }
  const secret: KubeObject & { data: Record<string, string> } = { apiVersion: 'v1', kind: 'Secret', metadata, data }
  await client.create(coreTypes.secret, secret)
}
