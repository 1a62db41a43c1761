/** Calls to an api whose caches have received nothing since a moment ago, while another replica has served others. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { connectCluster } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { comparedKinds, type ResourceTypeName, resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { heldClient } from '../harness/late-client.ts'
import { useStack } from '../harness/stack.ts'
import { withoutWorker } from '../harness/worker.ts'
import { type Answer, startTestApi, type TestApi } from './test-api.ts'

describe('a replica whose caches are late', function () {
  this.timeout(120_000)
  let cluster: ReturnType<typeof connectCluster>
  let level: TestApi
  let late: TestApi
  let hold: (is: boolean) => void
  let token: string
  let cookie: string
  let project: string

  before(async () => {
    await withoutWorker()
    cluster = connectCluster({ kubeconfig: (await useStack()).kubeconfig })
    const held = heldClient(cluster)
    ;({ hold } = held)
    level = await startTestApi()
    late = await startTestApi({ client: held.client })
    token = await level.token({ role: 'admin' })
    cookie = await level.signIn('admin')
  })
  beforeEach(async () => {
    hold(false)
    project = (await ask(level, 'POST', '/projects')).body.project
  })
  after(async () => {
    hold(false)
    await Promise.all([level?.stop(), late?.stop()])
    await cluster?.close()
  })

  const ask = (api: TestApi, method: string, path: string, json: object = {}): Promise<Answer> =>
    api.ask(method, `/api/v1${path}`, { token, ...(method === 'DELETE' ? {} : { json }) })
  const form = (api: TestApi, path: string, fields: Record<string, string>): Promise<Answer> =>
    api.ask('POST', `/api${path}`, { token, form: fields })
  const made = async (path: string, fields: object): Promise<string> => {
    const { body, status, text } = await ask(level, 'POST', path, { project, environment: 'production', ...fields })
    expect(status, text).to.equal(200)
    return body.name
  }
  /** From here on the late replica receives nothing; it has everything that was written before. */
  const holdNow = async (): Promise<void> => {
    for (const kind of ['project', 'app', 'database', 'objectStore', 'cloudConnection'] as const) {
      const { items } = await cluster.list<KubeObject>(resourceTypes[kind], { namespace: systemNamespace })
      const { cache } = late.needs.records[comparedKinds[kind].records]
      const isKnown = ({ metadata: { name, resourceVersion } }: KubeObject) =>
        cache.get(name, systemNamespace)?.metadata.resourceVersion === resourceVersion
      await eventually(`the late replica has each ${kind}`, () => items.every(isKnown))
    }
    hold(true)
  }
  const record = (kind: ResourceTypeName, name: string, spec: object, own: Record<string, string> = {}) =>
    cluster.create<KubeObject & { spec: object }>(resourceTypes[kind], {
      apiVersion,
      kind: resourceTypes[kind].kind,
      metadata: { name, namespace: systemNamespace, labels: own },
      spec: { project, environment: 'production', ...spec },
    })
  const remove = (kind: ResourceTypeName, name: string) =>
    cluster.delete({ type: resourceTypes[kind], namespace: systemNamespace, name })
  const nameOf = (what: string): string => `${what}-${randomBytes(4).toString('hex')}`
  const git = { source: { git: { repository: 'https://git.example.test/team/web.git' } } }

  it('deploys a draft of the environment that was saved through another one', async () => {
    await holdNow()
    await made('/apps', { image: 'svc/hello:1' })
    const answer = await ask(late, 'POST', `/projects/${project}/deploy`, { environment: 'production' })
    expect([answer.status, answer.body]).to.deep.equal([200, { ok: true, deployed: 1 }])
  })

  it('deploys the others where a draft was deleted through another one', async () => {
    const gone = await made('/databases', {})
    await made('/apps', { image: 'svc/hello:1' })
    await holdNow()
    await remove('database', gone)
    const answer = await ask(late, 'POST', `/projects/${project}/deploy`, { environment: 'production' })
    expect([answer.status, answer.body]).to.deep.equal([200, { ok: true, deployed: 1 }])
  })

  it('makes a token for an environment that was added through another one', async () => {
    await holdNow()
    await ask(level, 'POST', `/projects/${project}/environments`, { environment: 'staging' })
    const json = { scope: 'project', project, environment: 'staging' }
    const answer = await late.ask('POST', '/api/v1/tokens', { cookie, json })
    expect(answer.status, answer.text).to.equal(200)
  })

  it('makes no token for an environment that was archived through another one', async () => {
    await ask(level, 'POST', `/projects/${project}/environments`, { environment: 'staging' })
    await holdNow()
    await form(level, `/projects/${project}/environments/archive`, { environment: 'staging', confirmName: 'staging' })
    const json = { scope: 'project', project, environment: 'staging' }
    const answer = await late.ask('POST', '/api/v1/tokens', { cookie, json })
    expect([answer.status, answer.body.error]).to.deep.equal([400, 'the project has no such environment'])
    const labelSelector = `${labels.project}=${project},${labels.environment}=staging`
    const left = await cluster.list(coreTypes.secret, { namespace: systemNamespace, labelSelector })
    expect(left.items).to.deep.equal([])
  })

  it('deletes a project by the name that it has now, and not by the former one', async () => {
    const { displayName } = (await level.needs.records.projects.readLive(project))?.spec ?? expect.fail()
    await holdNow()
    await ask(level, 'PATCH', `/projects/${project}`, { displayName: `Shop ${project}` })
    const by = (name: string) => ask(late, 'DELETE', `/projects/${project}?confirmName=${encodeURIComponent(name)}`)
    expect((await by(displayName)).body.error).to.equal('confirmation did not match the resource name')
    expect((await by(`Shop ${project}`)).status).to.equal(200)
  })

  it('builds a service again whose first build was made a moment ago', async () => {
    const name = nameOf('web')
    await record('app', name, git)
    await holdNow()
    expect((await ask(late, 'POST', `/apps/${name}/build`)).body.error).to.equal('this service has no build yet')
    await record('build', `${name}-abcde`, { app: name, repository: 'x' }, { [labels.app]: name })
    const answer = await ask(late, 'POST', `/apps/${name}/build`)
    expect(answer.status, answer.text).to.equal(200)
  })

  for (const [what, verb] of [
    ['deploy-key', 'deploy-key/rotate'],
    ['git-webhook', 'git-webhook/rotate'],
  ])
    it(`gives the ${what} to the service that has the name now`, async () => {
      const name = nameOf('web')
      await record('app', name, git)
      await holdNow()
      await remove('app', name)
      const now = await record('app', name, git)
      for (const api of [level, late]) expect((await form(api, `/apps/${name}/${verb}`, {})).status).to.equal(200)
      const ref = { type: coreTypes.secret, namespace: systemNamespace, name: `${name}-${what}` }
      expect((await cluster.get<KubeObject>(ref))?.metadata.labels?.[labels.owner]).to.equal(now.metadata.uid)
      await cluster.delete(ref)
    })

  it('gives a host to a service that another one has given up', async () => {
    const host = `${nameOf('shop')}.example.test`
    const former = await made('/apps', { image: 'svc/hello:1', host })
    await holdNow()
    expect((await ask(level, 'PATCH', `/apps/${former}`, { host: `other.${host}` })).status).to.equal(200)
    const fields = { project, environment: 'production', image: 'svc/hello:1', host }
    const answer = await ask(late, 'POST', '/apps', fields)
    expect(answer.status, answer.text).to.equal(200)
    expect((await ask(late, 'POST', '/apps', fields)).body.error).to.equal('this host is used by another service')
  })

  it('attaches a database of the environment that the service has moved to', async () => {
    await ask(level, 'POST', `/projects/${project}/environments`, { environment: 'staging' })
    const database = await made('/databases', { environment: 'staging' })
    const name = await made('/apps', { image: 'svc/hello:1' })
    await holdNow()
    expect((await ask(level, 'PATCH', `/apps/${name}`, { environment: 'staging' })).status).to.equal(200)
    const answer = await form(late, `/apps/${name}/attach`, { kind: 'database', name: database })
    expect(answer.status, answer.text).to.equal(200)
  })

  it('takes a cloud connection that was made again for this project', async () => {
    const name = nameOf('cloud')
    const spec = { provider: 'AWS', secretRef: { name: `${name}-credentials` } }
    await record('cloudConnection', name, { ...spec, project: 'proj-00000000', environment: undefined })
    await holdNow()
    await remove('cloudConnection', name)
    await record('cloudConnection', name, { ...spec, environment: undefined })
    const fields = { project, environment: 'production', placement: 'External', connectionRef: name, bucket: 'media' }
    const answer = await ask(late, 'POST', '/object-stores', fields)
    expect(answer.status, answer.text).to.equal(200)
  })

  it('requires a tag that a node was given through another one', async () => {
    const [node, tag] = [nameOf('node'), nameOf('tag')]
    await cluster.create<KubeObject & { spec: object }>(coreTypes.node, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: node },
      spec: { unschedulable: true },
    })
    await eventually('the late replica has it', () => late.needs.caches.nodes.get(node) !== undefined)
    await holdNow()
    expect((await ask(level, 'POST', `/nodes/${node}/placement`, { region: tag, reserved: [tag] })).status).to.equal(
      200,
    )
    expect((await ask(late, 'PATCH', `/projects/${project}`, { region: tag })).status).to.equal(200)
    const answer = await ask(late, 'POST', `/projects/${project}/compliance`, { requiredTags: [tag] })
    expect([answer.status, answer.body]).to.deep.equal([200, { ok: true, requiredTags: [tag] }])
    await cluster.delete({ type: coreTypes.node, name: node })
  })

  it('signs in a user who was made, or given another password, through another one', async () => {
    const [username, password] = [nameOf('user'), 'staple-battery-horse']
    const signIn = (api: TestApi, secret: string) => form(api, '/login', { username, password: secret })
    const users = (path: string, json: object) => level.ask('POST', `/api/v1/users${path}`, { cookie, json })
    // A watch that has been silent for seconds is not relied on.
    await level.token({ name: username })
    await eventually('the late replica has it', () => late.needs.tokens.list().some(({ name }) => name === username))
    await holdNow()
    expect((await users('', { username, password, role: 'viewer' })).status).to.equal(200)
    expect((await signIn(late, password)).status).to.equal(200)
    expect((await users(`/${username}/password`, { password: `${password}-2` })).status).to.equal(200)
    const own = (await signIn(level, `${password}-2`)).headers.get('set-cookie')?.split(';')[0] ?? ''
    const session = await late.ask('GET', '/api/session', { cookie: own })
    expect(session.body).to.include({ authenticated: true, username })
    await level.ask('DELETE', `/api/v1/users/${username}?confirmName=${username}`, { cookie })
  })
})
