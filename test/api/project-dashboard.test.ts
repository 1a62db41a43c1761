/** The dashboard's project routes, form-encoded, and the tokens, databases and buckets that they affect. */
import { expect } from 'chai'
import { useStack } from '../harness/stack.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { startTestApi, type Asked, type TestApi } from './test-api.ts'

describe("the dashboard's project routes", () => {
  let api: TestApi
  let cookie: string
  let token: string

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi()
    cookie = await api.signIn('admin')
    token = await api.token({ role: 'admin' })
  })
  after(async () => {
    await api.stop()
  })

  const form = (path: string, fields: NonNullable<Asked['form']> = {}) =>
    api.ask('POST', `/api/projects/${path}`, { cookie, form: fields })
  const post = (path: string, json: object = {}) => api.ask('POST', `/api/v1${path}`, { token, json })
  const create = async (): Promise<string> => (await form('create')).body.project
  const projectOf = async (name: string): Promise<Project> => {
    const project = await (
      await useStack()
    ).client.get<Project>({ type: resourceTypes.project, namespace: systemNamespace, name })
    if (project === undefined) throw new Error(`no project ${name}`)
    return project
  }

  it('POST /api/projects/create answers 201 with the ID of a project in the region', async () => {
    const { status, body } = await form('create', { region: 'eu' })
    expect([status, Object.keys(body)]).to.deep.equal([201, ['project']])
    expect((await projectOf(body.project)).spec).to.deep.include({ region: 'eu', environments: ['production'] })
  })

  it('POST /api/projects/{project}/settings/save wants a name and at least one environment', async () => {
    const name = await create()
    const save = async (fields: NonNullable<Asked['form']>) => (await form(`${name}/settings/save`, fields)).body
    expect(await save({ environments: 'production' })).to.deep.equal({ error: 'displayName is required' })
    expect(await save({ displayName: `Shop ${name}` })).to.deep.equal({
      error: 'a project must retain at least one environment',
    })
    expect(await save({ displayName: `Shop ${name}`, environments: '' })).to.deep.equal({
      error: 'a project must retain at least one environment',
    })
    expect(await save({ displayName: `Shop ${name}`, environments: ['production', 'production'] })).to.deep.equal({
      error: 'environment names must be unique',
    })
    expect(await save({ displayName: `Shop ${name}`, environments: ['production', 'staging'] })).to.deep.equal({
      ok: true,
    })
    expect((await projectOf(name)).spec).to.deep.include({
      displayName: `Shop ${name}`,
      environments: ['production', 'staging'],
    })
  })

  it('POST /api/projects/{project}/environments/create makes an environment whose namespace fits', async () => {
    const name = await create()
    const fits = 'e'.repeat(63 - name.length - 1)
    const add = async (environment: string) => (await form(`${name}/environments/create`, { environment })).body
    expect(await add(`${fits}e`)).to.deep.equal({
      error: 'project ID plus environment name must be at most 63 characters',
    })
    expect(await add(fits)).to.deep.equal({ ok: true })
    expect(await add(fits)).to.deep.equal({ error: `the environment ${fits} already exists` })
    for (const bad of ['', 'UPPER', 'a_b', '-a', 'a-', 'e'.repeat(64)])
      expect(await add(bad), bad).to.deep.equal({ error: 'environment must be a lowercase DNS label' })
  })

  it('POST /api/projects/{project}/variables/save and /variables/delete take forms, a checked box for secret', async () => {
    const name = await create()
    expect(
      (await form(`${name}/variables/save`, { name: 'KEY', environment: 'production', value: 'hidden', secret: 'on' }))
        .body,
    ).to.deep.equal({ ok: true })
    expect((await form(`${name}/variables/save`, { name: 'EMPTY', value: '' })).body).to.deep.equal({ ok: true })
    expect((await projectOf(name)).spec.sharedVariables).to.deep.equal([
      { name: 'KEY', environment: 'production', secretRef: { name: `${name}-shared`, key: 'production.KEY' } },
      { name: 'EMPTY', environment: '', value: '' },
    ])
    expect((await api.ask('GET', `/api/v1/projects/${name}`, { token })).text).not.to.include('hidden')
    expect((await form(`${name}/variables/delete`, { name: 'KEY', environment: 'production' })).body).to.deep.equal({
      ok: true,
    })
    expect((await form(`${name}/variables/delete`, { name: 'KEY', environment: 'production' })).body).to.deep.equal({
      ok: true,
    })
    expect((await projectOf(name)).spec.sharedVariables).to.deep.equal([{ name: 'EMPTY', environment: '', value: '' }])
  })

  it('POST /api/projects/{project}/environments/archive counts databases and buckets, too, and revokes its tokens at once', async () => {
    const name = await create()
    await form(`${name}/environments/create`, { environment: 'staging' })
    const place = { project: name, environment: 'staging' }
    for (const path of ['/apps', '/databases', '/object-stores'])
      expect((await post(path, place)).status, path).to.equal(200)
    const [own, other] = [await projectToken(name, 'staging'), await projectToken(name, 'production')]
    expect(
      (await form(`${name}/environments/archive`, { environment: 'staging', confirmName: name })).body,
    ).to.deep.equal({
      error: 'confirmation did not match the resource name',
    })
    expect(await statusOf(own)).to.equal(200)
    expect(
      (await form(`${name}/environments/archive`, { environment: 'staging', confirmName: 'staging' })).body,
    ).to.deep.equal({ ok: true, deleted: 3 })
    expect([await statusOf(own), await statusOf(other)]).to.deep.equal([401, 200])
    expect((await form(`${name}/environments/create`, { environment: 'staging' })).body).to.deep.equal({
      error: 'the environment staging is still being deleted; try again in a moment',
    })
    const last = await form(`${name}/environments/archive`, { environment: 'production', confirmName: 'production' })
    expect(last.body).to.deep.equal({ error: 'a project must retain at least one environment' })
  })

  it('POST /api/projects/{project}/deploy deploys services, databases and buckets of the first environment, and stops where one is refused', async () => {
    const name = await create()
    await form(`${name}/environments/create`, { environment: 'staging' })
    const place = { project: name, environment: 'production' }
    const made = async (path: string, fields: object): Promise<string> =>
      (await post(path, { ...place, ...fields })).body.name
    const database = await made('/databases', { cpu: '50m', memory: '64Mi' })
    const store = await made('/object-stores', { bucket: 'shop' })
    // Services made within the same second are ordered by name.
    const first = await made('/apps', { name: `a-${name}`, image: 'svc/hello:1' })
    await eventually(
      'the database is seen',
      () => api.needs.caches.databases.get(database, systemNamespace) !== undefined,
    )
    const tooLarge = await made('/apps', { name: `b-${name}`, image: 'svc/hello:1', cpu: '9000' })
    const pendingOf = async (of: string) =>
      (await api.ask('GET', `/api/v1/${of}`, { token })).body.resource.pendingChanges
    const refused = await form(`${name}/deploy`)
    expect(refused.status).to.equal(400)
    expect(refused.body.error).to.match(new RegExp(`^${tooLarge}: the cluster has no capacity`))
    // The records before the refused one stay deployed; those after it were not reached.
    expect([
      await pendingOf(`apps/${first}`),
      await pendingOf(`databases/${database}`),
      await pendingOf(`object-stores/${store}`),
    ]).to.deep.equal([0, 1, 1])
    await post(`/apps/${tooLarge}/delete`, { confirmName: tooLarge })
    expect((await form(`${name}/deploy`)).body).to.deep.equal({ ok: true, deployed: 2 })
    expect([await pendingOf(`databases/${database}`), await pendingOf(`object-stores/${store}`)]).to.deep.equal([0, 0])
    expect((await form(`${name}/deploy`)).body).to.deep.equal({ ok: true, deployed: 0 })
    expect((await form(`${name}/deploy`, { environment: 'nowhere' })).body).to.deep.equal({
      error: 'the project has no environment nowhere',
    })
  })

  it('POST /api/projects/{project}/settings/delete wants the display name and revokes the tokens of the project at once', async () => {
    const name = await create()
    const { displayName } = (await projectOf(name)).spec
    const own = await projectToken(name, 'production')
    expect((await form(`${name}/settings/delete`, { confirmName: name })).body).to.deep.equal({
      error: 'confirmation did not match the resource name',
    })
    expect(await statusOf(own)).to.equal(200)
    expect((await form(`${name}/settings/delete`, { confirmName: displayName })).body).to.deep.equal({ ok: true })
    expect(await statusOf(own)).to.equal(401)
    expect((await projectOf(name)).metadata.deletionTimestamp).to.be.a('string')
  })

  it('a project that is not there is a plain-text 404', async () => {
    for (const path of ['settings/save', 'environments/create', 'deploy', 'network', 'compliance', 'variables/save']) {
      const fields = { displayName: 'x', environments: 'a', environment: 'a', isolation: 'None', name: 'A', value: 'x' }
      const answer = await form(`proj-00000000/${path}`, fields)
      expect([answer.status, answer.text], path).to.deep.equal([404, '404 page not found'])
    }
  })

  const projectToken = (project: string, environment: string): Promise<string> =>
    api.token({ scope: 'project', project, environment })
  const statusOf = async (own: string): Promise<number> => (await api.ask('GET', '/api/v1/me', { token: own })).status
})
