/** Projects over HTTP: created, renamed, given environments and variables, archived and deleted. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { finalizers } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('Projects', () => {
  let api: TestApi
  let other: TestApi
  let token: string
  let viewer: string

  before(async function () {
    this.timeout(60_000)
    ;[api, other] = await Promise.all([startTestApi(), startTestApi()])
    token = await api.token({ name: 'projects', role: 'admin' })
    viewer = await api.token({ name: 'projects-viewer', role: 'viewer' })
  })
  after(async () => {
    await Promise.all([api.stop(), other.stop()])
  })

  const post = (path: string, json: object = {}, at = api) => at.ask('POST', `/api/v1${path}`, { token, json })
  const get = (path: string, as = token) => api.ask('GET', `/api/v1${path}`, { token: as })
  const patch = (name: string, json: object, at = api) => at.ask('PATCH', `/api/v1/projects/${name}`, { token, json })
  const create = async (): Promise<string> => (await post('/projects')).body.project
  const record = async (name: string): Promise<Project> => {
    const { client } = await useStack()
    const project = await client.get<Project>({ type: resourceTypes.project, namespace: systemNamespace, name })
    if (project === undefined) throw new Error(`no project ${name}`)
    return project
  }
  const shared = async (name: string): Promise<Record<string, string>> => {
    const { client } = await useStack()
    const secret = await client.get<KubeObject & { data?: Record<string, string> }>({
      type: coreTypes.secret,
      namespace: systemNamespace,
      name: `${name}-shared`,
    })
    return Object.fromEntries(
      Object.entries(secret?.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
    )
  }

  it('POST /projects answers 201 with a generated ID, name and environment', async () => {
    const { status, body, headers } = await post('/projects', { region: 'eu' })
    expect(status).to.equal(201)
    expect(body).to.deep.equal({ project: body.project })
    const audited = api
      .logLines()
      .find(({ audit, requestId }) => audit === true && requestId === headers.get('x-request-id'))
    expect(audited, 'the audit line names what was made').to.deep.include({ resource: { project: body.project } })
    const { spec, metadata } = await record(body.project)
    expect(spec).to.deep.include({ environments: ['production'], region: 'eu', clusterRef: { name: 'default' } })
    expect(spec.displayName).to.match(/^[a-z]+-[a-z]+$/)
    expect(metadata.finalizers).to.deep.equal([finalizers.project])
    expect(api.woken).to.include(`project/${body.project}: created`)
    expect((await post('/projects', { region: 'Not Good' })).body.error).to.match(/^region must use/)
  })

  it('GET /projects and GET /projects/{name} show it', async () => {
    const name = await create()
    const { displayName } = (await record(name)).spec
    const { body } = await get('/projects')
    const item = body.items.find((each: { name: string }) => each.name === name)
    expect(item).to.deep.include({
      kind: 'project',
      name,
      displayName,
      project: name,
      environment: '',
      state: 'pending',
      url: '',
      pendingChanges: 0,
      details: { environments: ['production'], region: '', requiredTags: [] },
    })
    await post(`/projects/${name}/variables/save`, { name: 'A', value: 'plain-value' })
    expect((await get(`/projects/${name}`)).body.spec.sharedVariables).to.deep.equal([
      { name: 'A', environment: '', value: 'plain-value' },
    ])
    const seen = await get(`/projects/${name}`, viewer)
    expect(seen.body.resource).to.deep.include({ name, displayName })
    expect(seen.text).not.to.include('plain-value')
    expect((await get('/projects/proj-00000000')).body).to.deep.equal({ error: 'project not found', code: 'not_found' })
  })

  it('PATCH /projects/{name} renames, and adds and drops empty environments', async () => {
    const name = await create()
    expect(
      (await patch(name, { displayName: `Shop ${name}`, environments: ['production', 'staging'], region: 'eu' })).body,
    ).to.deep.equal({ ok: true })
    expect((await record(name)).spec).to.deep.include({
      displayName: `Shop ${name}`,
      environments: ['production', 'staging'],
      region: 'eu',
    })
    expect((await patch(name, { environments: ['production'] })).body).to.deep.equal({ ok: true })
    const foreign = await create()
    expect((await patch(foreign, { displayName: `Shop ${name}` })).body.error).to.equal('another project has this name')
    expect((await patch(name, { environments: '' })).body.error).to.equal(
      'a project must retain at least one environment',
    )
    expect((await patch(name, { environments: ['Bad Name'] })).body.error).to.equal(
      'environment must be a lowercase DNS label',
    )
    expect((await patch(name, { environments: ['production', 'e'.repeat(60)] })).body.error).to.equal(
      'project ID plus environment name must be at most 63 characters',
    )
  })

  it('a display name is free again, at every process, as soon as its project is being deleted', async () => {
    const [leaving, next, last] = [await create(), await create(), await create()]
    const displayName = `Reused ${leaving}`
    await patch(leaving, { displayName })
    expect((await patch(next, { displayName })).body.error).to.equal('another project has this name')
    const { status } = await api.ask(
      'DELETE',
      `/api/v1/projects/${leaving}?confirmName=${encodeURIComponent(displayName)}`,
      { token },
    )
    expect(status).to.equal(200)
    expect((await record(leaving)).metadata.deletionTimestamp, 'nothing carries the deletion out here').to.not.equal(
      undefined,
    )
    expect((await patch(next, { displayName }, other)).body).to.deep.equal({ ok: true })
    expect((await patch(last, { displayName })).body.error).to.equal('another project has this name')
  })

  it('PATCH refuses to drop an environment that holds something', async () => {
    const name = await create()
    await post(`/projects/${name}/environments`, { environment: 'staging' })
    const app = (await post('/apps', { project: name, environment: 'staging' }, other)).body.name
    expect((await patch(name, { environments: ['production'] })).body.error).to.equal(
      `the environment staging still holds ${app}; archive it to delete them`,
    )
  })

  it('renaming and adding an environment at once through two processes lose nothing', async () => {
    const name = await create()
    const answers = await Promise.all([
      patch(name, { displayName: `Both ${name}` }),
      post(`/projects/${name}/environments`, { environment: 'one' }, other),
      post(`/projects/${name}/environments`, { environment: 'two' }),
    ])
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200])
    const { spec } = await record(name)
    expect(spec.displayName).to.equal(`Both ${name}`)
    expect([...spec.environments].sort()).to.deep.equal(['one', 'production', 'two'])
  })

  it('POST /projects/{name}/environments refuses an existing one', async () => {
    const name = await create()
    expect((await post(`/projects/${name}/environments`, { environment: 'staging' })).body).to.deep.equal({ ok: true })
    const { status, body } = await post(`/projects/${name}/environments`, { environment: 'staging' })
    expect([status, body.error]).to.deep.equal([400, 'the environment staging already exists'])
    expect((await post(`/projects/${name}/environments`, { environment: 'Nope!' })).body.error).to.equal(
      'environment must be a lowercase DNS label',
    )
  })

  it('POST /api/projects/{p}/environments/archive wants the name again, counts what goes, and keeps the last one', async () => {
    const name = await create()
    const archive = (environment: string, confirmName: string) =>
      post(`/projects/${name}/environments/archive`, { environment, confirmName })
    expect((await archive('production', 'production')).body.error).to.equal(
      'a project must retain at least one environment',
    )
    await post(`/projects/${name}/environments`, { environment: 'staging' })
    await Promise.all([1, 2].map(() => post('/apps', { project: name, environment: 'staging' })))
    await post(`/projects/${name}/variables/save`, { name: 'ONLY', environment: 'staging', value: 'x' })
    expect((await archive('staging', 'stagin')).body.error).to.equal('confirmation did not match the resource name')
    expect((await archive('staging', 'staging')).body).to.deep.equal({ ok: true, deleted: 2 })
    expect((await record(name)).spec).to.deep.include({ environments: ['production'], sharedVariables: [] })
    expect((await archive('staging', 'staging')).body.error).to.equal('the project has no environment staging')
    expect((await post('/apps', { project: name, environment: 'staging' })).body.error).to.equal(
      'the project has no environment staging',
    )
    expect(api.woken).to.include(`project/${name}: environment staging archived`)
  })

  it('POST /projects/{name}/variables/save and variables/delete keep secrets in a Secret', async () => {
    const name = await create()
    const save = (fields: object) => post(`/projects/${name}/variables/save`, fields)
    expect((await save({ name: 'KEY', value: 'first', secret: true })).body).to.deep.equal({ ok: true })
    await save({ name: 'KEY', environment: 'production', value: 'second', secret: true })
    expect((await record(name)).spec.sharedVariables).to.deep.equal([
      { name: 'KEY', environment: '', secretRef: { name: `${name}-shared`, key: '_every.KEY' } },
      { name: 'KEY', environment: 'production', secretRef: { name: `${name}-shared`, key: 'production.KEY' } },
    ])
    expect(await shared(name)).to.deep.equal({ '_every.KEY': 'first', 'production.KEY': 'second' })
    // A save without the switch keeps the stored setting; with the switch off, the value becomes plain and leaves the
    // Secret.
    await save({ name: 'KEY', value: 'third' })
    expect((await shared(name))['_every.KEY']).to.equal('third')
    await save({ name: 'KEY', value: 'plain', secret: 'off' })
    expect((await record(name)).spec.sharedVariables[0]).to.deep.equal({ name: 'KEY', environment: '', value: 'plain' })
    await post(`/projects/${name}/variables/delete`, { name: 'KEY', environment: 'production' })
    expect(await shared(name)).to.deep.equal({})
    expect((await record(name)).spec.sharedVariables).to.have.length(1)
    expect((await save({ name: 'lower', value: 'x' })).body.error).to.equal(
      'variable name must use uppercase letters, numbers, and underscores',
    )
    expect((await save({ name: 'KEY', environment: 'nowhere', value: 'x' })).body.error).to.equal(
      'the project has no environment nowhere',
    )
    expect((await save({ name: 'KEY' })).body.error).to.equal('value is required')
  })

  it('POST /projects/{name}/deploy deploys what is pending in one environment', async () => {
    const name = await create()
    await post(`/projects/${name}/environments`, { environment: 'staging' })
    const make = async (environment: string) =>
      (await post('/apps', { project: name, environment, image: 'svc/hello:1' })).body.name
    const [a, b, elsewhere] = await Promise.all([make('production'), make('production'), make('staging')])
    expect((await post(`/projects/${name}/deploy`, { environment: 'production' })).body).to.deep.equal({
      ok: true,
      deployed: 2,
    })
    for (const app of [a, b])
      expect((await get(`/apps/${app}/status`)).body).to.include({ state: 'pending', pendingChanges: 0 })
    expect((await get(`/apps/${elsewhere}/status`)).body.state).to.equal('draft')
    expect((await post(`/projects/${name}/deploy`, { environment: 'nowhere' })).body.error).to.equal(
      'the project has no environment nowhere',
    )
  })

  it('DELETE /projects/{name} wants the display name, and remote buckets to be gone first', async () => {
    const name = await create()
    const { displayName } = (await record(name)).spec
    const remove = (confirmName: string) =>
      api.ask('DELETE', `/api/v1/projects/${name}?${new URLSearchParams({ confirmName }).toString()}`, { token })
    expect((await remove(name)).body.error).to.equal('confirmation did not match the resource name')
    const { client } = await useStack()
    const bucket = { type: resourceTypes.objectStore, namespace: systemNamespace, name: 'far-away' }
    const spec = objectStoreSpec.parse({
      project: name,
      environment: 'production',
      engine: 'Remote',
      connectionRef: { name: 'cloud' },
    })
    await client.create(bucket.type, {
      apiVersion,
      kind: bucket.type.kind,
      metadata: { name: bucket.name, namespace: systemNamespace },
      spec,
    } as KubeObject)
    await eventually(
      'the bucket is seen',
      () => api.needs.caches.objectStores.get(bucket.name, systemNamespace) !== undefined,
    )
    expect((await remove(displayName)).body.error).to.equal('delete the remote buckets of this project first: far-away')
    await client.delete(bucket)
    await eventually(
      'the bucket is gone',
      () => api.needs.caches.objectStores.get(bucket.name, systemNamespace) === undefined,
    )
    expect((await remove(displayName)).body).to.deep.equal({ ok: true })
    expect((await get(`/projects/${name}`)).body.resource.state).to.equal('deleting')
    expect((await patch(name, { displayName: 'x' })).body.error).to.equal('the project is being deleted')
    expect((await post('/apps', { project: name, environment: 'production' })).body.error).to.equal(
      'the project is being deleted',
    )
    expect(api.woken).to.include(`project/${name}: deletion requested`)
  })

  it('changes need an admin', async () => {
    const name = await create()
    for (const [method, path] of [
      ['POST', '/projects'],
      ['PATCH', `/projects/${name}`],
      ['DELETE', `/projects/${name}`],
      ['POST', `/projects/${name}/deploy`],
    ] as const) {
      expect((await api.ask(method, `/api/v1${path}`, { token: viewer, json: {} })).status, path).to.equal(403)
    }
  })
})
