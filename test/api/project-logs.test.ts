/** Logs of all services of a project together: places, merging, the stream, and the answer without a log store. */
import { expect } from 'chai'
import type { View } from '../../contract/operations.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { openEvents } from './open-events.ts'
import { startPod, writeLog } from './played-pods.ts'
import { startTestApi, type TestApi } from './test-api.ts'

type LogLine = View<'projects.logs'>['lines'][number]

describe('Logs of a project', () => {
  let api: TestApi
  let token: string
  let admin: string
  let project: string
  /** One service in production, one in staging. */
  let first: string
  let second: string
  const mark = `project-line-${Date.now()}`

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi()
    token = await api.token({ name: 'project-logs', role: 'observer' })
    admin = await api.token({ name: 'project-logs-admin', role: 'admin' })
    project = (await post('/projects', {})).project
    await post(`/projects/${project}/environments`, { environment: 'staging' })
    first = (await post('/apps', { project, environment: 'production', image: 'svc/hello:1' })).name
    second = (await post('/apps', { project, environment: 'staging', image: 'svc/hello:1' })).name
  })
  after(async () => {
    await api.stop()
    const { client } = await useStack()
    for (const environment of ['production', 'staging'])
      await client.delete({ type: coreTypes.namespace, name: namespaceOf(project, environment) })
  })

  const post = async (path: string, json: object) =>
    (await api.ask('POST', `/api/v1${path}`, { token: admin, json })).body
  const get = (path: string, prefix = '/api/v1') => api.ask('GET', `${prefix}/projects/${project}${path}`, { token })

  it('GET /projects/{name}/logs says that nothing runs, and refuses places that are not there', async () => {
    expect((await get('/logs')).body).to.deep.equal({
      lines: [],
      services: [first, second].sort(),
      truncated: false,
      note: 'no copies are running',
    })
    const unknown = await get('/logs?environment=nowhere')
    expect([unknown.status, unknown.body.error]).to.deep.equal([400, 'the project has no environment nowhere'])
    expect([
      (await get('/logs?service=nobody')).status,
      (await get(`/logs?environment=production&service=${second}`)).status,
    ]).to.deep.equal([404, 404])
    expect((await api.ask('GET', '/api/v1/projects/proj-00000000/logs', { token })).status).to.equal(404)
    expect((await get('/logs?environment=&service=')).status).to.equal(200)
  })

  it('GET /projects/{name}/logs merges the services, oldest first, and narrows to a place', async () => {
    await startPod(api, { app: first, pod: 'first-1' })
    await startPod(api, { app: second, pod: 'second-1' })
    for (const line of ['info one', 'error two', 'info three']) await writeLog(`${mark} ${line}`)
    for (const prefix of ['/api/v1', '/api']) {
      // As the operation's schema says.
      const { lines, services, note } = (await get(`/logs?q=${mark}`, prefix)).body as View<'projects.logs'>
      expect(lines.map(({ service, line }) => [service, line])).to.have.deep.members(
        [first, second].flatMap((name) =>
          ['info one', 'error two', 'info three'].map((line) => [name, `${mark} ${line}`]),
        ),
      )
      expect(lines.map(({ t }) => t)).to.deep.equal(lines.map(({ t }) => t).sort())
      expect([services, note]).to.deep.equal([[first, second].sort(), ''])
    }
    const namesIn = async (query: string) => [
      ...new Set((await get(`/logs?q=${mark}&${query}`)).body.lines.map(({ service }: LogLine) => service)),
    ]
    expect(await namesIn('environment=staging')).to.deep.equal([second])
    expect(await namesIn(`service=${first}`)).to.deep.equal([first])
    expect((await get(`/logs?q=${mark}&level=error`)).body.lines).to.have.length(2)
    const newest = (await get('/logs?tail=3')).body
    expect([newest.lines.length, newest.truncated]).to.deep.equal([3, true])
    expect((await get('/logs?tail=0')).body.error).to.equal('tail must be a whole number from 1 to 1000')
  })

  it('GET /projects/{name}/logs/stream tells recent lines in order, then new ones, also of a service made later', async () => {
    const stream = await openEvents<LogLine>(`${api.baseUrl}/api/v1/projects/${project}/logs/stream?q=${mark}`, token)
    await eventually('recent lines', () => stream.seen.length === 6)
    expect(stream.seen.map(({ t }) => t)).to.deep.equal(stream.seen.map(({ t }) => t).sort())
    await writeLog(`${mark} new`)
    await eventually(
      'the new line of both',
      () => stream.seen.filter(({ line }) => line === `${mark} new`).length === 2,
    )
    const third = (await post('/apps', { project, environment: 'production', image: 'svc/hello:1' })).name
    await startPod(api, { app: third, pod: 'third-1' })
    await eventually('the third service', () => stream.seen.some(({ service }) => service === third))
    await writeLog(`${mark} last`)
    await eventually(
      'the last line of all',
      () => stream.seen.filter(({ line }) => line === `${mark} last`).length === 3,
    )
    expect(new Set(stream.seen.map(({ pod, line }) => `${pod} ${line}`)).size, 'no line arrives twice').to.equal(
      stream.seen.length,
    )
    await stream.close()
    expect((await get('/logs/stream?service=nobody')).status).to.equal(404)
    expect((await get('/logs/stream?environment=nowhere', '/api')).status).to.equal(400)
  })

  it('GET /projects/{name}/logs/history says that there is no log store, or that the project keeps none', async () => {
    const none = { available: false, lines: [], services: [], truncated: false }
    for (const prefix of ['/api/v1', '/api']) {
      const { status, body } = await get('/logs/history', prefix)
      expect([status, body]).to.deep.equal([
        200,
        { ...none, message: 'no log history is kept: the platform has no log store' },
      ])
    }
    const pointing = await startTestApi({ env: { SVC_LOGS_HINT: 'another command brings one' } })
    const { body } = await pointing.ask('GET', `/api/v1/projects/${project}/logs/history`, { token })
    await pointing.stop()
    expect(body.message).to.equal('no log history is kept: the platform has no log store; another command brings one')
    expect((await get('/logs/history?limit=1001')).body.error).to.equal('limit must be a whole number from 1 to 1000')
    expect((await get('/logs/history?environment=nowhere')).status).to.equal(400)
    const { client } = await useStack()
    await client.patch(
      { type: resourceTypes.project, namespace: systemNamespace, name: project },
      { spec: { requiredTags: ['vault'] } },
    )
    await eventually(
      'the tag is known',
      async () =>
        (await get('/logs/history')).body.message === 'log history is not kept for a project that requires node tags',
    )
  })

  it('GET /projects/{name}/logs/stream ends with an event once the project is deleted, or the service it is narrowed to', async () => {
    const { client } = await useStack()
    const open = (query: string) =>
      openEvents<LogLine>(`${api.baseUrl}/api/v1/projects/${project}/logs/stream?q=${mark}${query}`, token)
    const [whole, narrowed] = [await open(''), await open(`&service=${first}`)]
    await eventually('recent lines', () => whole.seen.length > 0 && narrowed.seen.length > 0)
    const remove = async (type: ResourceType, name: string) => {
      const ref = { type, namespace: systemNamespace, name }
      await client.patch(ref, { metadata: { finalizers: null } })
      await client.delete(ref)
    }
    await remove(resourceTypes.app, first)
    await eventually('the stream of the service ended', () => narrowed.ended(), 15_000)
    expect([narrowed.names, whole.names, whole.ended()]).to.deep.equal([['end'], [], false])
    await remove(resourceTypes.project, project)
    await eventually('the stream of the project ended', () => whole.ended(), 15_000)
    expect(whole.names).to.deep.equal(['end'])
  }).timeout(40_000)
})
