/**
 * A project token at a replica whose cache is behind: its scope is checked against the record that is written, not the
 * cached one.
 */
import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import { type ClusterClient, connectCluster } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { type ResourceTypeName, resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { type Asked, startTestApi, type TestApi } from './test-api.ts'

const mark = randomBytes(4).toString('hex')
const mine = 'proj-0000aaaa'
const theirs = 'proj-0000bbbb'

/** A client whose watches of services and databases stay open and yield no event. */
function deaf(client: ClusterClient): ClusterClient {
  const quiet = new Set<string>([resourceTypes.app.kind, resourceTypes.database.kind])
  return {
    ...client,
    watch: async (type, query) => (quiet.has(type.kind) ? nothing(query.signal) : client.watch(type, query)),
  }
}

// oxlint-disable-next-line require-yield -- a watch that stays open and yields no event
async function* nothing(signal: AbortSignal | undefined): AsyncGenerator<never> {
  await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
}

describe('a project token at a replica that is behind', function () {
  this.timeout(120_000)
  let client: ClusterClient
  let own: ReturnType<typeof connectCluster>
  let level: TestApi
  let behind: TestApi
  let token: string

  const ref = (kind: ResourceTypeName, name: string) => ({
    type: resourceTypes[kind],
    namespace: systemNamespace,
    name,
  })
  const nameOf = (operation: string) => `stale-${operation.replaceAll('/', '-')}-${mark}`
  const make = (kind: ResourceTypeName, name: string, spec: object, project: string) =>
    client.create<KubeObject>(resourceTypes[kind], {
      apiVersion,
      kind: resourceTypes[kind].kind,
      metadata: { name, namespace: systemNamespace, annotations: { [annotations.pendingChanges]: 'created' } },
      spec: { project, environment: 'production', ...spec },
    } as KubeObject)
  const service = {
    source: { image: { image: 'svc/hello:1' } },
    configData: { A: '1' },
    env: [{ name: 'DATABASE_URL', value: 'x' }],
  }
  const database = { engine: 'postgres' }

  const v1 = (name: string, json: object): Asked & { path: string } => ({ path: `/api/v1/apps/${name}`, json })
  const form = (name: string, fields: Record<string, string>): Asked & { path: string } => ({
    path: `/api/apps/${name}`,
    form: fields,
  })
  const calls: readonly [string, 'PATCH' | 'POST', (name: string) => Asked & { path: string }][] = [
    ['update', 'PATCH', (name) => v1(name, { port: 1 })],
    ['update-deploy', 'PATCH', (name) => v1(name, { port: 1, deploy: true })],
    ['scale', 'POST', (name) => v1(name, { replicas: 7 })],
    ['deploy', 'POST', (name) => v1(name, {})],
    ['rollback', 'POST', (name) => v1(name, { revision: `${name}-abcde` })],
    ['retry-provision', 'POST', (name) => v1(name, {})],
    ['config/set', 'POST', (name) => v1(name, { key: 'B', value: '2' })],
    ['config/delete', 'POST', (name) => v1(name, { key: 'A' })],
    ['config/raw', 'POST', (name) => form(name, { config: 'C=3' })],
    ['secrets/set', 'POST', (name) => v1(name, { key: 'S', value: 'hush' })],
    ['secrets/delete', 'POST', (name) => v1(name, { key: 'S' })],
    ['env/delete', 'POST', (name) => form(name, { name: 'DATABASE_URL' })],
    ['schedules/nightly/run', 'POST', (name) => form(name, {})],
  ]
  const everything: [ResourceTypeName, string, object][] = [
    ...calls.map(([operation]): [ResourceTypeName, string, object] => ['app', nameOf(operation), service]),
    ['app', nameOf('token'), service],
    ['app', nameOf('again'), service],
    ['app', nameOf('build'), service],
    ['database', nameOf('database'), database],
  ]

  before(async () => {
    const stack = await useStack()
    client = stack.client
    level = await startTestApi()
    for (const project of [mine, theirs])
      await client.create<KubeObject>(resourceTypes.project, {
        apiVersion,
        kind: resourceTypes.project.kind,
        metadata: { name: project, namespace: systemNamespace },
        spec: { displayName: project, environments: ['production'] },
      } as KubeObject)
    token = await level.token({ scope: 'project', project: mine, environment: 'production' })
    for (const [kind, name, spec] of everything) await make(kind, name, spec, mine)
    const revision = nameOf('rollback')
    await client.create(resourceTypes.deployment, {
      apiVersion,
      kind: resourceTypes.deployment.kind,
      metadata: { name: `${revision}-abcde`, namespace: systemNamespace, labels: { [labels.app]: revision } },
      spec: { app: revision, project: mine, environment: 'production', image: 'svc/hello:2' },
      status: { phase: 'Recorded' },
    } as KubeObject)
    own = connectCluster({ kubeconfig: stack.kubeconfig })
    behind = await startTestApi({ client: deaf(own) })
    // Each record is deleted, and another project makes one of the same name.
    for (const [kind, name, spec] of everything) {
      await client.delete(ref(kind, name))
      await make(kind, name, spec, theirs)
    }
  })
  after(async () => {
    await Promise.all([behind.stop(), level.stop()])
    await own.close()
    for (const [kind, name] of everything) await client.delete(ref(kind, name))
    for (const project of [mine, theirs]) await client.delete(ref('project', project))
  })

  for (const [operation, method, call] of calls) {
    it(`writes nothing by ${operation} into another project's service of that name`, async () => {
      const name = nameOf(operation)
      const { path, ...asked } = call(name)
      const before = (await client.get(ref('app', name)))?.metadata.resourceVersion
      const answer = await behind.ask(method, method === 'PATCH' ? path : `${path}/${operation}`, { ...asked, token })
      expect([answer.status, answer.body?.error]).to.deep.equal([404, 'app not found'])
      expect((await client.get(ref('app', name)))?.metadata.resourceVersion).to.equal(before)
    })
  }

  it("cancels no build of another project's service of that name", async () => {
    const name = nameOf('build')
    const build = `${name}-abcde`
    await client.create<KubeObject & { spec: object }>(resourceTypes.build, {
      apiVersion,
      kind: resourceTypes.build.kind,
      metadata: { name: build, namespace: systemNamespace },
      spec: { app: name, project: theirs, environment: 'production', repository: 'acme/web' },
    })
    const { builds } = behind.needs.caches
    await eventually('the cache of the api has it', () => builds.get(build, systemNamespace) !== undefined, 10_000)
    const before = (await client.get(ref('build', build)))?.metadata.resourceVersion
    const answer = await behind.ask('POST', `/api/v1/apps/${name}/build/cancel`, { token, json: {} })
    expect([answer.status, answer.body?.error]).to.deep.equal([404, 'app not found'])
    expect((await client.get(ref('build', build)))?.metadata.resourceVersion).to.equal(before)
  })

  it('is checked again against the service that has the name now, and passes where that is in its scope', async () => {
    const name = nameOf('again')
    await client.delete(ref('app', name))
    await make('app', name, service, mine)
    const answer = await behind.ask('POST', `/api/v1/apps/${name}/scale`, { token, json: { replicas: 2 } })
    expect([answer.status, answer.body]).to.deep.equal([200, { ok: true }])
  })

  it('deploys nothing of another project with its environment', async () => {
    const versions = async () =>
      Promise.all(
        everything
          .filter(([, name]) => name !== nameOf('again'))
          .map(async ([kind, name]) => (await client.get(ref(kind, name)))?.metadata.resourceVersion),
      )
    const before = await versions()
    const answer = await behind.ask('POST', '/api/v1/token/deploy', { token, json: {} })
    // The deploy counts the one record that was made again in the token's own project.
    expect([answer.status, answer.body]).to.deep.equal([200, { ok: true, deployed: 1 }])
    expect(await versions()).to.deep.equal(before)
  })

  it("answers the same for another project's deployment as for one that does not exist", async () => {
    const name = nameOf('env/delete')
    const other = nameOf('rollback')
    await client.delete(ref('app', name))
    await make('app', name, service, mine)
    const deployment = await client.get<KubeObject & { spec: object }>(ref('deployment', `${other}-abcde`))
    if (deployment === undefined) expect.fail('no deployment')
    await client.replace(resourceTypes.deployment, { ...deployment, spec: { ...deployment.spec, project: theirs } })
    const rollback = (revision: string) =>
      level.ask('POST', `/api/v1/apps/${name}/rollback`, { token, json: { revision } })
    await eventually(
      'the cache of the api has it',
      async () => (await rollback(`${other}-abcde`)).status === 404,
      10_000,
    )
    const [foreign, none] = [await rollback(`${other}-abcde`), await rollback('nothing-abcde')]
    expect([foreign.status, foreign.text]).to.deep.equal([none.status, none.text])
  })
})
