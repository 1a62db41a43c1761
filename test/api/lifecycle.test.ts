/** The whole lifecycle over HTTP with a worker: set up, deployed, broken, rolled back, archived and deleted. */
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { useWorker } from '../harness/worker.ts'
import { startTestApi, type TestApi } from './test-api.ts'

const waitMs = 25_000

describe('a project from its creation to its deletion', () => {
  let api: TestApi
  let token: string
  let project: string

  before(async function () {
    this.timeout(90_000)
    api = await startTestApi()
    await useWorker()
    token = await api.token({ name: 'lifecycle', role: 'admin' })
    project = (await post('/projects')).body.project
  })
  after(() => api.stop())

  const post = (path: string, json: object = {}) => api.ask('POST', `/api/v1${path}`, { token, json })
  const get = (path: string) => api.ask('GET', `/api/v1${path}`, { token })
  const status = async (name: string) => (await get(`/apps/${name}/status`)).body
  const reaches = async (name: string, state: string) => {
    await eventually(`${name} is ${state}`, async () => (await status(name)).state === state, waitMs)
    return status(name)
  }
  const create = async (fields: object) =>
    (await post('/apps', { project, environment: 'production', image: 'svc/hello:1', deploy: true, ...fields })).body
      .name

  it('a deploy becomes ready, with its copies, log and variables', async function () {
    this.timeout(60_000)
    const name = await create({ replicas: 2, cpu: '10m', memory: '8Mi' })
    await reaches(name, 'ready')
    await eventually('its copies are shown, too', async () => (await status(name)).replicas.available === 2)
    const ready = await status(name)
    expect(ready).to.deep.include({ ready: true, pendingChanges: 0, replicas: { desired: 2, ready: 2, available: 2 } })
    expect(ready.lastAttempt).to.include({ phase: 'Succeeded' })
    expect((await get(`/apps/${name}/runtime`)).body.pods).to.have.length(2)
    const { sections } = (await get(`/apps/${name}/deployments/${ready.lastAttempt.id}/logs`)).body
    expect(sections[0].lines.at(-1)).to.match(/Succeeded: 2 of 2 copies ready$/)
    await post(`/apps/${name}/secrets/set`, { key: 'S', value: 'v' })
    expect((await status(name)).state).to.equal('ready')
    const before = (await get(`/apps/${name}/runtime`)).body.pods
    await post(`/apps/${name}/deploy`)
    expect((await status(name)).state).to.equal('pending')
    await reaches(name, 'ready')
    const after = (await get(`/apps/${name}/runtime`)).body.pods.filter(
      ({ phase }: { phase: string }) => phase === 'Running',
    )
    expect(after.map((pod: { name: string }) => pod.name)).not.to.include.members(
      before.map((pod: { name: string }) => pod.name),
    )
  })

  it('a live setting runs without a deploy', async function () {
    this.timeout(60_000)
    const name = await create({ cpu: '10m', memory: '8Mi' })
    await reaches(name, 'ready')
    await post(`/apps/${name}/scale`, { replicas: 3 })
    await eventually('three copies', async () => (await status(name)).replicas.available === 3, waitMs)
    expect(await reaches(name, 'ready')).to.include({ pendingChanges: 0 })
    expect((await get(`/apps/${name}/deployments`)).body.items).to.have.length(1)
  })

  it('a broken deploy fails with its reason, and a rollback brings the service back', async function () {
    this.timeout(90_000)
    const name = await create({ cpu: '10m', memory: '8Mi' })
    const { lastAttempt } = await reaches(name, 'ready')
    await api.ask('PATCH', `/api/v1/apps/${name}`, { token, json: { image: 'svc/does-not-exist:1', deploy: true } })
    const failed = await reaches(name, 'failed')
    expect(failed.message).to.include('the image cannot be pulled')
    expect(failed.lastAttempt).to.include({ phase: 'Failed' })
    expect((await post(`/apps/${name}/rollback`, { revision: lastAttempt.id })).status).to.equal(200)
    const back = await reaches(name, 'ready')
    expect(back.lastAttempt.phase).to.equal('Succeeded')
    const [newest] = (await get(`/apps/${name}/deployments`)).body.items
    expect(newest).to.include({ id: back.lastAttempt.id, image: 'svc/hello:1' })
  })

  it('an archived environment goes with its services, and a deleted project with all of them', async function () {
    this.timeout(90_000)
    await post(`/projects/${project}/environments`, { environment: 'staging' })
    const name = await create({ environment: 'staging', cpu: '10m', memory: '8Mi' })
    await reaches(name, 'ready')
    expect(
      (await post(`/projects/${project}/environments/archive`, { environment: 'staging', confirmName: 'staging' }))
        .body,
    ).to.deep.equal({
      ok: true,
      deleted: 1,
    })
    await eventually('the service is gone', async () => (await get(`/apps/${name}`)).status === 404, waitMs)
    const { client } = await useStack()
    await eventually(
      'its namespace is gone',
      async () =>
        (await client.get({ type: coreTypes.namespace, name: namespaceOf(project, 'staging') })) === undefined,
      waitMs,
    )
    await eventually(
      'the environment may be made again',
      async () => (await post(`/projects/${project}/environments`, { environment: 'staging' })).status === 200,
      waitMs,
    )
    const { displayName } = (await get(`/projects/${project}`)).body.resource
    expect(
      (await api.ask('DELETE', `/api/v1/projects/${project}?confirmName=${displayName}`, { token })).status,
    ).to.equal(200)
    await eventually('the project is gone', async () => (await get(`/projects/${project}`)).status === 404, waitMs)
    expect((await get(`/apps?project=${project}`)).body.items).to.deep.equal([])
  })
})
