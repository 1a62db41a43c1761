/** What the commands of real-commands.ts are about: one of each kind, and one more for each run that takes it away. */
import { createClient, type Client } from '../../client/client.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { deliveryId } from '../../durable/ids.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { buildSpec } from '../../kinds/builds/kind.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes, type ResourceTypeName } from '../../kinds/meta/resource-types.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'
import { makeConnectionSecret } from '../api/data-world.ts'
import type { TestApi } from '../api/test-api.ts'
import { writeWholeBackup } from '../api/whole-backup.ts'
import { eventually } from '../cluster/eventually.ts'
import { startPostgres } from '../harness/engines.ts'
import { useStack } from '../harness/stack.ts'
import { useClient } from '../harness/temporal-client.ts'
import { deliver, noticeOf } from '../workflows/delivery-world.ts'

export type Who = 'admin' | 'viewer' | 'observer' | 'project token'

export interface Furnished {
  readonly tokens: Readonly<Record<Who, string>>
  /** What stands for the names in braces. */
  readonly names: Readonly<Record<string, string>>
}

const image = 'nginx:1'
const url = 'https://93.184.215.14/hook'
const password = 'staple-staple'

/** @param receiver the address of a server that takes every event. */
export async function furnish(api: TestApi, receiver: string): Promise<Furnished> {
  const admin = await api.token({ name: 'admin', role: 'admin' })
  const client = createClient({ baseUrl: api.baseUrl, token: admin, userAgent: 'test' })
  const { project } = await client.call('projects.create', {})
  const place = { project, environment: 'production' }
  await client.call('object-stores.create', {})
  await client.call('apps.create', { ...place, name: 'web', image })
  await client.call('apps.create', {
    ...place,
    name: 'fn',
    source: 'function',
    runtime: 'node',
    code: 'export default 1',
  })
  const schedules = ['nightly', 'removed-a', 'removed-b', 'removed-c'].map((name) => ({ name, schedule: '@daily' }))
  await client.call('apps.update', { app: 'fn', functionTriggers: schedules })
  const repository = 'https://git.example.com/acme/web.git'
  await client.call('apps.create', { ...place, name: 'git', source: 'git', repository })
  await client.call('apps.config-set', { app: 'git', key: 'DATABASE_URL', value: 'of another' })
  await client.call('databases.create', { ...place, name: 'db' })
  await client.call('logical-databases.create', { ...place, name: 'logical', server: 'db', database: 'logical' })
  const login = { host: 'db.example.com', username: 'app', password }
  await client.call('databases.connect', { ...place, name: 'elsewhere', ...login })
  await client.call('object-stores.create', { ...place, name: 'store', bucket: 'store' })
  await furnishBuild(client, { ...place, repository })
  const full = await furnishFull(api, client, project)
  await furnishConnections(client, project)
  const taken = await Promise.all(['a', 'b', 'c'].map(async (n) => await furnishRun(api, admin, project, n)))
  const [template] = (await client.call('templates.list', {})).items
  const [node] = (await (await useStack()).client.list(coreTypes.node)).items
  const token = async (role: string) => await api.token({ name: role, role })
  return {
    tokens: {
      admin,
      viewer: await token('viewer'),
      observer: await token('observer'),
      'project token': await api.token({ name: 'project', scope: 'project', ...place }),
    },
    names: {
      project,
      template: template?.id ?? '',
      node: node?.metadata.name ?? '',
      delivery: await furnishDelivery(client, project),
      hook: (await client.call('projects.webhooks-save', { project, url })).id,
      'hook-received': (await client.call('projects.webhooks-save', { project, url: receiver })).id,
      archive: await writeWholeBackup((await useStack()).client, { project }),
      'engine-a': 'postgres',
      'engine-b': 'mysql',
      'engine-c': 'mysql',
      'full-token': full,
      ...Object.fromEntries(taken.flatMap((each) => Object.entries(each))),
    },
  }
}

/** The run of a delivery that was ended by hand, as lists of runs have it by then; its webhook is one of its own. */
async function furnishDelivery(client: Client, project: string): Promise<string> {
  const { id } = await client.call('projects.webhooks-save', { project, url })
  const notice = noticeOf({ metadata: { name: project } }, 'web')
  await deliver({ id }, notice)
  const { workflow } = await useClient()
  const run = workflow.getHandle(deliveryId(id, notice.deployment.id, notice.event))
  const { runId } = await run.describe()
  await run.terminate('it is only looked at')
  const isListed = async () => (await client.call('runs.get', { run: runId })).outcome === 'stopped'
  await eventually('its end is listed', () => isListed().catch(() => false), 20_000)
  return runId
}

/** An environment in which no node has capacity for a copy of anything; answers a project token of it. */
async function furnishFull(api: TestApi, client: Client, project: string): Promise<string> {
  const place = { project, environment: 'full' }
  await client.call('projects.environments-create', place)
  await client.call('apps.create', { ...place, name: 'huge', image, cpu: '9000' })
  await client.call('databases.create', { ...place, name: 'huge-db', cpu: '9000' })
  return await api.token({ name: 'full', scope: 'project', ...place })
}

/** A service with a build, as a worker leaves it. */
async function furnishBuild(client: Client, place: { project: string; environment: string; repository: string }) {
  await client.call('apps.create', { ...place, name: 'built', source: 'git', deploy: true })
  const [attempt] = (await client.call('apps.deployments', { app: 'built' })).items
  const name = attempt?.id ?? ''
  await (
    await useStack()
  ).client.create(resourceTypes.build, {
    ...{ apiVersion, kind: 'SvcBuild', metadata: { name, namespace: systemNamespace } },
    spec: buildSpec.parse({ ...place, app: 'built', attempt: name }),
  })
}

/** A database on a real postgres, and a logical database: with the Secrets that their workers would write. */
async function furnishConnections(client: Client, project: string): Promise<void> {
  const { host, port, admin } = await startPostgres()
  const place = { project, environment: 'production' }
  await client.call('databases.create', { ...place, name: 'asked', cpu: '10m', memory: '32Mi', deploy: true })
  await client.call('logical-databases.create', { ...place, name: 'written', server: 'db', database: 'written' })
  const kube = (await useStack()).client
  const values = { host, port: String(port), database: 'postgres', ...admin }
  for (const [type, name] of [
    ['database', 'asked'],
    ['logicalDatabase', 'written'],
  ] as const) {
    const ref = { type: resourceTypes[type], namespace: systemNamespace, name }
    await makeConnectionSecret({ client: kube, project }, name, (await kube.get<KubeObject>(ref))?.metadata.uid, values)
    await kube.patch(ref, { status: { connectionSecret: `${name}-connection` } }, { subresource: 'status' })
  }
}

/** Records whose provisioning failed, one of each kind, as workers leave them. */
async function furnishFailed(client: Client, project: string, n: string): Promise<void> {
  const place = { project, environment: 'production' }
  const names = { app: `failed-${n}`, database: `failed-db-${n}`, objectStore: `failed-store-${n}` }
  await client.call('apps.create', { ...place, name: names.app, image, deploy: true })
  await client.call('databases.create', { ...place, name: names.database, cpu: '10m', memory: '32Mi', deploy: true })
  await client.call('object-stores.create', { ...place, name: names.objectStore, bucket: `failed-${n}`, deploy: true })
  const logical = { server: 'db', database: `failed_${n}` }
  await client.call('logical-databases.create', { ...place, name: `failed-logical-${n}`, ...logical })
  const kube = (await useStack()).client
  for (const [type, name] of Object.entries({ ...names, logicalDatabase: `failed-logical-${n}` })) {
    const ref = { type: resourceTypes[type as ResourceTypeName], namespace: systemNamespace, name }
    const record = await kube.get<KubeObject>(ref)
    const intent =
      type === 'app' ? viewOf(record as App).intent : provisionIntent(record as Database, (record as Database).spec)
    const failed = { type: 'Ready', status: 'False', reason: 'ProvisionFailed', message: 'it did not start' }
    const conditions = [{ ...failed, lastTransitionTime: new Date().toISOString() }]
    const status = { conditions, observedIntent: intent, acceptedIntent: intent }
    await kube.patch(ref, { status }, { subresource: 'status' })
  }
}

/** Takes an object store away as its worker would at last, and waits until the api knows. */
export async function removeStore(api: TestApi, token: string, name: string): Promise<void> {
  const kube = (await useStack()).client
  const ref = { type: resourceTypes.objectStore, namespace: systemNamespace, name }
  await kube.patch(ref, { metadata: { finalizers: null } })
  await kube.delete(ref)
  const isGone = async () => (await api.ask('GET', `/api/v1/object-stores/${name}`, { token })).status === 404
  await eventually(`${name} is gone`, isGone)
}

/** What one run takes away, and the names of what the service names itself. */
async function furnishRun(api: TestApi, token: string, project: string, n: string): Promise<Record<string, string>> {
  const { baseUrl } = api
  const client = createClient({ baseUrl, token, userAgent: 'test' })
  const asPerson = createClient({ baseUrl, session: await api.signIn('admin'), userAgent: 'test' })
  const place = { project, environment: 'production' }
  const capital = n.toUpperCase()
  await client.call('apps.create', { ...place, name: `app-${n}`, image })
  await client.call('databases.create', { ...place, name: `db-${n}` })
  await client.call('logical-databases.create', {
    ...place,
    name: `logical-${n}`,
    server: 'db',
    database: `logical_${n}`,
  })
  await client.call('object-stores.create', { ...place, name: `store-${n}`, bucket: `store-${n}` })
  await client.call('projects.environments-create', { project, environment: `env-${n}` })
  await furnishFailed(client, project, n)
  for (const key of ['TOP', 'BELOW'])
    await client.call('apps.config-set', { app: 'web', key: `${key}_${capital}`, value: '1' })
  await client.call('projects.variables-save', { project, name: `SHARED_${capital}`, value: '1' })
  await asPerson.call('users.create', { username: `removed-${n}`, password, role: 'viewer' })
  await asPerson.call('users.create', { username: `kept-${n}`, password, role: 'viewer' })
  return {
    [`archive-${n}`]: await writeWholeBackup((await useStack()).client, { project }),
    [`hook-${n}`]: (await client.call('projects.webhooks-save', { project, url })).id,
    [`project-${n}`]: (await client.call('projects.create', {})).project,
    [`token-${n}`]: (await asPerson.call('tokens.create', { name: n, role: 'viewer' })).item.id,
  }
}
