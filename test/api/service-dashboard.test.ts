/** The dashboard's service routes, form-encoded. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { type Build, buildSpec } from '../../kinds/builds/kind.ts'
import { databaseSpec } from '../../kinds/databases/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('Service routes of the dashboard', () => {
  let api: TestApi
  let cookie: string
  let project: string

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi()
    cookie = await api.signIn('admin')
    project = (await api.ask('POST', '/api/projects/create', { cookie, form: {} })).body.project
  })
  after(async () => {
    await api.stop()
  })

  const post = (path: string, form: Record<string, string | string[]> = {}) =>
    api.ask('POST', `/api/apps/${path}`, { cookie, form })
  const get = (path: string) => api.ask('GET', `/api/apps/${path}`, { cookie })
  const made = async (form: Record<string, string | string[]> = {}): Promise<string> => {
    const { status, text, body } = await post('create', {
      project,
      environment: 'production',
      image: 'svc/hello:1',
      ...form,
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
  const put = async (
    type: (typeof resourceTypes)['build' | 'database'],
    name: string,
    spec: object,
    status: object = {},
  ): Promise<void> => {
    const { client } = await useStack()
    await client.create(type, {
      apiVersion,
      kind: type.kind,
      metadata: { name, namespace: systemNamespace },
      spec,
    } as KubeObject)
    await client.patch({ type, namespace: systemNamespace, name }, { status }, { subresource: 'status' })
  }

  it('POST /api/apps/create takes a whole form, blanks included', async () => {
    const blank = {
      name: '',
      repository: '',
      branch: '',
      dockerfile: '',
      context: '',
      connectionRef: '',
      runtime: '',
      code: '',
      mode: '',
      functionTriggers: '',
    }
    const sizes = {
      cpu: '',
      memory: '256Mi',
      replicas: '2',
      minReplicas: '',
      maxReplicas: '',
      targetCPU: '',
      idleSeconds: '60',
      scaleToZeroMax: '',
    }
    const { body, text } = await post('create', {
      project,
      environment: 'production',
      source: 'image',
      image: 'svc/hello:1',
      port: '9000',
      ...blank,
      ...sizes,
      metrics: 'on',
    })
    expect(body, text).to.deep.include({ ok: true, kind: 'apps' })
    expect(body.name).to.match(/^[a-z]+-[a-z]+$/)
    const { spec } = await record(body.name)
    expect(spec).to.deep.include({
      replicas: 2,
      port: 9000,
      resources: { requests: { cpu: '100m', memory: '256Mi' } },
      source: { image: { image: 'svc/hello:1' } },
    })
    expect([spec.metrics.enabled, spec.scaleToZero.idleSeconds]).to.deep.equal([true, 60])
    expect(
      (await post('create', { project, environment: 'production', image: 'a', connectionRef: 'x' })).body,
    ).to.deep.equal({
      error: 'connectionRef applies to git services only',
    })
    expect(
      (await post('create', { project, environment: 'production', image: 'a', runtime: 'bun' })).body.error,
    ).to.equal('runtime applies to functions only')
    expect((await post('create', { project, environment: 'nowhere' })).body.error).to.equal(
      'the project has no environment nowhere',
    )
    const missing = await post('create', { project: 'proj-ffffffff', environment: 'production' })
    expect([missing.status, missing.text]).to.deep.equal([404, '404 page not found'])
  })

  it('POST /api/apps/{app}/update saves what was filled in, and deploys with deploy=on', async () => {
    const name = await made({ deploy: 'on' })
    const { body } = await post(`${name}/update`, {
      image: 'svc/hello:2',
      repository: '',
      functionCode: '',
      cpuRequest: '250m',
      watchPatterns: '',
      tls: 'off',
    })
    expect(body.pending).to.deep.equal(['settings'])
    expect((await record(name)).spec.resources.requests.cpu).to.equal('250m')
    expect((await post(`${name}/update`, { memoryRequest: '1Gi', deploy: 'on' })).body).to.deep.include({
      deployed: true,
      pending: [],
    })
    expect(viewOf(await record(name)).effectiveSpec?.source.image?.image).to.equal('svc/hello:2')
    expect((await post(`${name}/update`, { image: '' })).body.error).to.equal('a deployed service needs an image')
  })

  it('POST /api/apps/{app}/deploy, /scale, /rollback, /retry-provision and /delete', async () => {
    const name = await made()
    expect((await post(`${name}/deploy`)).body).to.deep.include({ ok: true, deployed: true, pending: [] })
    expect((await post(`${name}/scale`, { replicas: '2' })).body).to.deep.equal({ ok: true })
    expect((await post(`${name}/scale`, { replicas: '1001' })).body).to.deep.equal({
      error: 'replicas must be a whole number from 0 to 1000',
    })
    expect((await post(`${name}/scale`)).body).to.deep.equal({
      error: 'replicas must be a whole number from 0 to 1000',
    })
    const [{ id }] = (await api.ask('GET', `/api/v1/apps/${name}/deployments`, { cookie })).body.items
    expect((await post(`${name}/rollback`, { revision: id })).body).to.deep.equal({ ok: true })
    expect((await post(`${name}/rollback`)).body).to.deep.equal({ error: 'revision is required' })
    expect((await post(`${name}/retry-provision`)).body).to.deep.equal({
      error: 'only a failed deploy can be retried; this service is pending',
    })
    expect((await post(`${name}/delete`, { confirmName: 'other' })).body).to.deep.equal({
      error: 'confirmation did not match the resource name',
    })
    expect((await post(`${name}/delete`, { confirmName: name })).body).to.deep.equal({ ok: true })
  })

  it('POST /api/apps/{app}/rollback refuses functions', async () => {
    const name = await made({ source: 'function', image: '', code: 'export {}', runtime: 'node' })
    expect((await post(`${name}/rollback`, { revision: 'any' })).body).to.deep.equal({
      error: 'functions cannot be rolled back; restore the earlier code and deploy again',
    })
    expect(
      (await post(`${name}/update`, { functionTriggers: '{"name":"nightly","schedule":"0 3 * * *"}' })).body.pending,
    ).to.deep.equal(['created'])
    expect((await record(name)).spec.source.function?.triggers).to.deep.equal([
      { name: 'nightly', schedule: '0 3 * * *', path: '/', payload: '' },
    ])
  })

  it('POST /api/apps/{app}/build and /build/cancel: no build yet, finished, built again, and cancelled', async () => {
    const name = await made({ source: 'git', image: '', repository: 'acme/shop' })
    const spec = buildSpec.parse({ app: name, project, environment: 'production', repository: 'acme/shop' })
    for (const verb of ['build', 'build/cancel'])
      expect((await post(`${name}/${verb}`)).body).to.deep.equal({ error: 'this service has no build yet' })
    const seen = (phase: string) =>
      eventually(
        `the ${phase} build is seen`,
        async () => (await api.ask('GET', `/api/v1/apps/${name}/status`, { cookie })).body.build?.phase === phase,
      )
    const status = {
      phase: 'Failed',
      failureReason: 'no Dockerfile',
      startedAt: '2026-01-01T00:00:00Z',
      completedAt: '2026-01-01T00:01:00Z',
      ciState: 'success',
    }
    await put(resourceTypes.build, `${name}-1`, spec, { ...status, sourceRevision: 'abc' })
    await seen('Failed')
    expect((await post(`${name}/build/cancel`)).body).to.deep.equal({ error: 'the build is finished already' })
    expect((await api.ask('GET', `/api/v1/apps/${name}/status`, { cookie })).body.build).to.deep.equal({
      name: `${name}-1`,
      sourceRevision: 'abc',
      ...status,
    })
    await (await useStack()).client.delete({ type: resourceTypes.build, namespace: systemNamespace, name: `${name}-1` })
    await put(resourceTypes.build, `${name}-2`, spec, { phase: 'Running' })
    await seen('Running')
    expect((await post(`${name}/build/cancel`)).body).to.deep.equal({ ok: true })
    const build = await (
      await useStack()
    ).client.get<Build>({
      type: resourceTypes.build,
      namespace: systemNamespace,
      name: `${name}-2`,
    })
    expect(build?.spec.cancelled).to.equal(true)
    expect((await post(`${name}/build`)).body).to.deep.equal({ ok: true })
    expect(viewOf(await record(name)).attempt).to.include({ operation: 'build', title: 'Build of the branch head' })
  })

  it('POST /api/apps/{app}/build/cancel cancels the build of the newest deploy before a worker has made it', async () => {
    const name = await made({ source: 'git', image: '', repository: 'acme/shop', branch: 'main' })
    for (const verb of ['deploy', 'build']) {
      expect((await post(`${name}/${verb}`)).body.ok, verb).to.equal(true)
      const attempt = viewOf(await record(name)).attempt?.record ?? ''
      for (const time of ['once', 'again'])
        expect((await post(`${name}/build/cancel`)).body, `${verb}, ${time}`).to.deep.equal({ ok: true })
      const { client } = await useStack()
      const build = await client.get<Build>({ type: resourceTypes.build, namespace: systemNamespace, name: attempt })
      expect(build?.spec).to.include({ app: name, attempt, cancelled: true, fresh: verb === 'build', branch: 'main' })
    }
  })

  it('POST /api/apps/{app}/config/set, /config/delete, /config/raw, /secrets/set, /secrets/delete and GET /api/apps/{app}/variables', async () => {
    const name = await made()
    expect((await post(`${name}/config/set`, { key: 'A', value: '1' })).body).to.deep.equal({
      ok: true,
      config: { A: '1' },
      pending: ['created', 'variables'],
    })
    for (const path of ['config/set', 'secrets/set'])
      expect((await post(`${name}/${path}`, { key: 'lower', value: '1' })).body).to.deep.equal({
        error: 'variable name must use uppercase letters, numbers, and underscores',
      })
    expect((await post(`${name}/config/raw`, { config: 'B=2\n# note\nexport C="x y"' })).body.config).to.deep.equal({
      B: '2',
      C: 'x y',
    })
    expect((await post(`${name}/config/raw`, { config: 'B' })).body).to.deep.equal({
      error: 'line 1 must be NAME=value',
    })
    expect((await post(`${name}/config/delete`, { key: 'C' })).body.config).to.deep.equal({ B: '2' })
    expect((await post(`${name}/secrets/set`, { key: 'S', value: 'hidden' })).body.secrets).to.deep.equal(['S'])
    const read = await get(`${name}/variables`)
    expect(read.body).to.deep.equal({ secrets: ['S'], sharedVariableRefs: [], env: [], config: { B: '2' } })
    expect(read.text).not.to.include('hidden')
    expect((await post(`${name}/secrets/delete`, { key: 'S' })).body.secrets).to.deep.equal([])
  })

  it('POST /api/apps/{app}/attach, /env/delete, /shared-variables/save, /display-name and /networking/delete', async () => {
    const name = await made({ host: `${Date.now()}.example.com` })
    const store = `${name}-cache`
    await put(
      resourceTypes.database,
      store,
      databaseSpec.parse({ project, environment: 'production', engine: 'redis' }),
    )
    await eventually('the database is seen', () => api.needs.caches.databases.get(store, systemNamespace) !== undefined)
    expect((await post(`${name}/attach`, { name: store, kind: 'database' })).body.pending).to.include('variables')
    expect((await get(`${name}/variables`)).body.env).to.deep.equal([{ name: 'REDIS_URL', kind: 'secret' }])
    expect((await post(`${name}/attach`, { name: store, kind: 'queue' })).body).to.deep.equal({
      error: 'kind must be database or object-store',
    })
    await post(`${name}/env/delete`, { name: 'REDIS_URL' })
    await post(`${name}/secrets/set`, { key: 'REDIS_URL', value: 'x' })
    expect((await post(`${name}/attach`, { name: store, kind: 'database' })).body).to.deep.equal({
      error: 'the service already has a variable named REDIS_URL',
    })
    expect((await post(`${name}/shared-variables/save`, { sharedVariable: ['B', 'A', 'B'] })).body.ok).to.equal(true)
    expect((await get(`${name}/variables`)).body.sharedVariableRefs).to.deep.equal(['A', 'B'])
    expect((await post(`${name}/display-name`, { displayName: 'Web shop' })).body).to.deep.equal({ ok: true })
    expect((await post(`${name}/networking/delete`, { confirmName: name })).body).to.deep.equal({ ok: true })
    expect((await record(name)).spec.ingress.host).to.equal('')
  })

  it('GET /api/apps/{app}/logs, /runtime, /metrics and /deployments/{id}/logs answer as their versioned rows', async () => {
    const name = await made({ deploy: 'on' })
    const [{ id }] = (await api.ask('GET', `/api/v1/apps/${name}/deployments`, { cookie })).body.items
    for (const path of ['logs', 'runtime', 'metrics', `deployments/${id}/logs`]) {
      const [dashboard, versioned] = [
        await get(`${name}/${path}`),
        await api.ask('GET', `/api/v1/apps/${name}/${path}`, { cookie }),
      ]
      expect([dashboard.status, dashboard.body], path).to.deep.equal([200, versioned.body])
    }
  })
})
