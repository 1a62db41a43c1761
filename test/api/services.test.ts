/** Services over HTTP: a draft, its deploy, its status and the list, from the record alone. */
import { expect } from 'chai'
import { list } from '../../api/apps/observe.ts'
import { jsonOf } from '../../api/views/memoized-body.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('Services', () => {
  let api: TestApi
  let other: TestApi
  let token: string
  let viewer: string
  let project: string

  before(async function () {
    this.timeout(60_000)
    ;[api, other] = await Promise.all([startTestApi(), startTestApi()])
    token = await api.token({ name: 'services', role: 'admin' })
    viewer = await api.token({ name: 'services-viewer', role: 'viewer' })
    project = (await post('/projects')).body.project
  })
  after(async () => {
    await Promise.all([api.stop(), other.stop()])
  })

  const post = (path: string, json: object = {}) => api.ask('POST', `/api/v1${path}`, { token, json })
  const get = (path: string, as = token) => api.ask('GET', `/api/v1${path}`, { token: as })
  const create = async (fields: object = {}): Promise<string> => {
    const { status, text, body } = await post('/apps', {
      project,
      environment: 'production',
      image: 'svc/hello:1',
      ...fields,
    })
    expect(status, text).to.equal(200)
    return body.name
  }
  const record = async (name: string): Promise<App> => {
    const { client } = await useStack()
    const app = await client.get<App>({ type: resourceTypes.app, namespace: systemNamespace, name })
    if (app === undefined) throw new Error(`no service ${name}`)
    return app
  }

  it('POST /projects, POST /apps, deploy, status and list: from a draft to an accepted deploy', async () => {
    expect(project).to.match(/^proj-[0-9a-f]{8}$/)
    const created = await post('/apps', { project, environment: 'production', image: 'svc/hello:1', port: 3000 })
    expect(created.body).to.deep.equal({ ok: true, name: created.body.name, kind: 'apps' })
    const { name } = created.body
    expect(name).to.match(/^[a-z]+-[a-z]+$/)
    expect((await get(`/apps/${name}/status`)).body).to.deep.equal({
      name,
      project,
      environment: 'production',
      state: 'draft',
      message: '',
      url: '',
      pendingChanges: 1,
      ready: false,
      replicas: { desired: 0, ready: 0, available: 0 },
    })

    const deployed = await post(`/apps/${name}/deploy`)
    expect(deployed.body).to.deep.equal({
      ok: true,
      pending: [],
      deployed: true,
      title: 'Nothing to deploy',
      detail: 'Everything that is saved is deployed.',
      button: 'Deploy again',
    })
    expect(api.woken).to.include(`app/${name}: deploy requested`)
    const app = await record(name)
    const attempt = viewOf(app).attempt
    expect(app.spec.deploy.enabled).to.equal(true)
    expect(app.metadata.annotations).not.to.have.property(annotations.pendingChanges)
    expect(viewOf(app).lastDeployed).to.deep.equal(app.spec)
    expect(attempt).to.include({ operation: 'deploy', title: 'First deploy' })

    const { body: status } = await get(`/apps/${name}/status`)
    expect(status).to.deep.include({
      state: 'pending',
      ready: false,
      pendingChanges: 0,
      replicas: { desired: 1, ready: 0, available: 0 },
    })
    expect(status.lastAttempt).to.deep.include({ id: attempt?.record, phase: 'Running' })

    const { body: listed } = await get('/apps?environment=production')
    const item = listed.items.find((each: { name: string }) => each.name === name)
    expect(item).to.deep.equal({
      kind: 'app',
      name,
      displayName: name,
      project,
      environment: 'production',
      state: 'pending',
      message: 'waiting for the deploy to start',
      url: '',
      pendingChanges: 0,
      createdAt: app.metadata.creationTimestamp,
      since: status.lastAttempt.startedAt,
      details: { port: 3000, source: 'image', image: 'svc/hello:1', replicas: 1 },
    })
  })

  it('GET /apps/{name} shows the spec, and blanks it for those who cannot change things', async () => {
    const name = await create({ host: 'shown.example.com' })
    await post(`/apps/${name}/config/set`, { key: 'GREETING', value: 'hello' })
    const full = (await get(`/apps/${name}`)).body
    expect(full.resource).to.include({ name, url: 'http://shown.example.com' })
    expect(full.spec).to.deep.include({
      project,
      configData: { GREETING: 'hello' },
      source: { image: { image: 'svc/hello:1' } },
    })
    expect(full.status).to.deep.equal({})
    const redacted = (await get(`/apps/${name}`, viewer)).body
    expect(redacted.spec).to.deep.include({ project, configData: {}, source: { image: { image: '' } } })
    expect(JSON.stringify(redacted)).not.to.include('GREETING').and.not.to.include('svc/hello')
  })

  it('POST /apps with deploy answers deployed, and what another api process reads in a moment', async () => {
    const name = await create({ deploy: true })
    const state = async () => (await other.ask('GET', `/api/v1/apps/${name}/status`, { token })).body
    await eventually('the deploy is known elsewhere', async () => (await state()).state === 'pending')
    expect(await state()).to.include({ state: 'pending', pendingChanges: 0 })
    const draft = await create()
    const deployed = await other.ask('POST', `/api/v1/apps/${draft}/deploy`, { token })
    expect(deployed.body).to.include({ deployed: true })
    await eventually(
      'its record is known here',
      async () => (await get(`/apps/${draft}/deployments`)).body.items.length === 1,
    )
  })

  it('DELETE /apps/{name} wants the name again and leaves the rest to the workflow', async () => {
    const name = await create()
    const wrong = await api.ask('DELETE', `/api/v1/apps/${name}?confirmName=other`, { token })
    expect([wrong.status, wrong.body.error]).to.deep.equal([400, 'confirmation did not match the resource name'])
    const right = await api.ask('DELETE', `/api/v1/apps/${name}?confirmName=${name}`, { token })
    expect(right.body).to.deep.equal({ ok: true })
    expect((await get(`/apps/${name}/status`)).body.state).to.equal('deleting')
    expect((await post(`/apps/${name}/deploy`)).body.error).to.equal('the service is being deleted')
    expect((await post(`/apps/${name}/config/set`, { key: 'A', value: '1' })).body.error).to.equal(
      'the service is being deleted',
    )
    expect(api.woken).to.include(`app/${name}: deletion requested`)
  })

  it('GET /apps reuses its body while nothing changed, and has one for each role', async () => {
    const name = await create()
    const handler = list(api.needs)
    const answer = (role: 'admin' | 'viewer', query: object = {}) =>
      // What it reads of a call.
      handler({ params: query, caller: { kind: 'token', username: '', role } } as Parameters<typeof handler>[0])
    const first = await answer('admin', { project })
    expect(await answer('admin', { project })).to.equal(first)
    expect(String(jsonOf(first))).to.equal(JSON.stringify(first))
    const seen = await answer('viewer', { project })
    expect(seen.items.find((item) => item.name === name)?.details).to.deep.equal({
      port: 8080,
      source: 'image',
      image: '',
      replicas: 1,
    })
    await post(`/apps/${name}/scale`, { replicas: 2 })
    const later = await answer('admin', { project })
    expect(later.items.find((item) => item.name === name)?.details['replicas']).to.equal(2)
    // Only the changed one was made anew.
    expect(later.items.filter((item) => !first.items.includes(item)).map((item) => item.name)).to.deep.equal([name])
    expect((await answer('admin', { environment: 'nowhere' })).items).to.deep.equal([])
  })

  it('answers 404 for what is not there', async () => {
    for (const [method, path] of [
      ['GET', '/apps/nobody'],
      ['GET', '/apps/nobody/status'],
      ['POST', '/apps/nobody/deploy'],
      ['POST', '/apps/nobody/scale'],
    ] as const) {
      const { status, body } = await api.ask(method, `/api/v1${path}`, {
        token,
        ...(method === 'POST' ? { json: { replicas: 1 } } : {}),
      })
      expect([status, body.error, body.code], path).to.deep.equal([404, 'app not found', 'not_found'])
    }
    expect((await post('/apps', { project: 'proj-00000000', environment: 'production' })).body.error).to.equal(
      'project not found',
    )
    expect((await post('/apps', { project, environment: 'nowhere' })).body.error).to.equal(
      'the project has no environment nowhere',
    )
  })
})
