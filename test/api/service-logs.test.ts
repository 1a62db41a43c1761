/** Pods of services and their logs: recent lines, filters, and the stream across pods. */
import { appendFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { View } from '../../contract/operations.ts'
import { logLineMax } from '../../contract/process-limits.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { CopyPod } from '../../kinds/pods/copies.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { openEvents } from './open-events.ts'
import { startPod, writeLog } from './played-pods.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('Logs of a service', () => {
  let api: TestApi
  let token: string
  let project: string
  let name: string
  const mark = `line-${Date.now()}`

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi()
    token = await api.token({ name: 'logs', role: 'observer' })
    const admin = await api.token({ name: 'logs-admin', role: 'admin' })
    const post = async (path: string, json: object) =>
      (await api.ask('POST', `/api/v1${path}`, { token: admin, json })).body
    project = (await post('/projects', {})).project
    name = (await post('/apps', { project, environment: 'production', image: 'svc/hello:1' })).name
  })
  after(async () => {
    await api.stop()
    await (await useStack()).client.delete({ type: coreTypes.namespace, name: namespaceOf(project, 'production') })
  })

  const get = (path: string) => api.ask('GET', `/api/v1/apps/${name}${path}`, { token })

  it('GET /apps/{name}/logs says that nothing runs', async () => {
    expect((await get('/logs')).body).to.deep.equal({
      lines: [],
      services: [name],
      truncated: false,
      note: 'no copies are running',
    })
    expect((await get('/runtime')).body).to.deep.equal({ pods: [] })
  })

  it('GET /apps/{name}/runtime lists the pods', async () => {
    await startPod(api, { app: name, pod: 'web-1' })
    expect((await get('/runtime')).body).to.deep.equal({
      pods: [{ name: 'web-1', phase: 'Running', container: 'app' }],
    })
  })

  it('GET /api/apps/{app}/copies tells how each copy is, and why it was started again', async () => {
    const { client } = await useStack()
    const copies = async () => ((await get('/copies')).body as View<'apps.copies'>).items
    await eventually('the pod is ready', async () => (await copies())[0]?.ready === true)
    expect((await copies())[0]).to.include({
      name: 'web-1',
      deployment: '',
      phase: 'Running',
      restarts: 0,
      message: '',
    })
    const namespace = namespaceOf(project, 'production')
    const ref = { type: coreTypes.pod, namespace, name: 'web-1' }
    const { status } = (await client.get<CopyPod & KubeObject>(ref)) ?? {}
    const terminated = { reason: 'OOMKilled', exitCode: 137, finishedAt: '2026-11-24T05:00:00Z' }
    const containerStatuses = status?.containerStatuses?.map((seen) => ({
      ...seen,
      restartCount: 2,
      lastState: { terminated },
    }))
    await client.patch(ref, { status: { containerStatuses } }, { subresource: 'status' })
    const [ended] = await copies()
    expect([ended?.restarts, ended?.lastEnd]).to.deep.equal([
      2,
      { reason: 'used more memory than it may', exitCode: 137, at: '2026-11-24T05:00:00Z' },
    ])
  })

  it('GET /apps/{name}/logs tells recent lines, oldest first, filtered by level and search', async () => {
    await writeLog(`${mark} info starting`)
    await writeLog(`{"level":50,"msg":"${mark} broken"}`)
    await writeLog(`level=warn msg="${mark} slow"`)
    const { body } = await get(`/logs?q=${mark}`)
    expect(body.lines.map(({ line, level }: { line: string; level: string }) => [line, level])).to.deep.equal([
      [`${mark} info starting`, 'info'],
      [`{"level":50,"msg":"${mark} broken"}`, 'error'],
      [`level=warn msg="${mark} slow"`, 'warn'],
    ])
    expect(body.lines[0]).to.include({ service: name, pod: 'web-1', container: 'app', previous: false })
    expect(body).to.deep.include({ services: [name], truncated: false, note: '' })
    expect((await get(`/logs?q=${mark}&level=error`)).body.lines).to.have.length(1)
    expect((await get('/logs?tail=1')).body).to.include({ truncated: true })
    expect((await get('/logs?tail=1001')).body.error).to.equal('tail must be a whole number from 1 to 1000')
    expect((await get('/logs?since=8d')).body.error).to.equal(
      'since must be a duration such as 15m, 2h, or 7d, at most 7 days',
    )
  })

  it('GET /apps/{name}/logs keeps viewers out', async () => {
    const viewer = await api.token({ name: 'logs-viewer', role: 'viewer' })
    for (const path of ['/logs', '/runtime', '/copies', '/logs/stream']) {
      const { status } = await api.ask('GET', `/api/v1/apps/${name}${path}`, { token: viewer })
      expect(status, path).to.equal(403)
    }
  })

  it('GET /apps/{name}/logs/stream tells recent lines, then new ones, and those of a pod that starts later', async () => {
    const url = `${api.baseUrl}/api/v1/apps/${name}/logs/stream?q=${mark}`
    const stream = await openEvents<{ line: string; pod: string }>(url, token)
    expect(stream.contentType).to.match(/^text\/event-stream/)
    await eventually('recent lines', () => stream.seen.length === 3)
    expect(stream.seen.map(({ line }) => line.includes('starting'))).to.deep.equal([true, false, false])
    await writeLog(`${mark} new`)
    await eventually('the new line', () => stream.seen.at(-1)?.line === `${mark} new`)
    await startPod(api, { app: name, pod: 'web-2' })
    await eventually('the second pod', () => stream.seen.some(({ pod }) => pod === 'web-2'))
    await stream.close()
  })

  it('GET /apps/{name}/logs/stream ends when the token is revoked that opened it', async () => {
    const cookie = await api.signIn('admin')
    const made = (await api.ask('POST', '/api/v1/tokens', { json: { name: 'short', role: 'observer' }, cookie })).body
    const stream = await openEvents(`${api.baseUrl}/api/apps/${name}/logs/stream?q=${mark}`, made.token)
    await eventually('recent lines', () => stream.seen.length > 0)
    await api.ask('DELETE', `/api/v1/tokens/${made.item.id}`, { cookie })
    await eventually('the stream ended', () => stream.ended())
  })

  it('GET /apps/{name}/logs reads 1000 lines at most, and says when there may be more', async () => {
    for (let n = 0; n < 3; n += 1) await writeLog(`${mark} many ${n}`)
    const { lines, truncated } = (await get('/logs?tail=2')).body
    expect([lines.length, truncated]).to.deep.equal([2, true])
    expect((await get('/logs?previous=true')).status).to.equal(200)
    expect((await get(`/logs?q=${'x'.repeat(201)}`)).body.error).to.equal('q must be at most 200 characters')
  })

  it('GET /apps/{name}/logs has the newest lines when the log is too long to read, and cuts a line that is', async () => {
    const { cluster } = await useStack()
    const line = (n: number): string => `${new Date().toISOString()} stdout F ${mark}-long ${n} ${'x'.repeat(20_000)}\n`
    await appendFile(cluster.containerLog, Array.from({ length: 200 }, (_, n) => line(n)).join(''))
    const { lines, truncated } = (await get(`/logs?tail=200&q=${mark}-long`)).body
    expect(truncated).to.equal(true)
    expect(lines.length).to.be.greaterThan(10).and.lessThan(200)
    expect(lines.at(-1).line)
      .to.match(/-long 199 x+…$/)
      .and.to.have.length(logLineMax + 1)
  })

  it('GET /apps/{name}/logs/stream ends with an event once the service is deleted', async () => {
    const { client } = await useStack()
    const stream = await openEvents(`${api.baseUrl}/api/v1/apps/${name}/logs/stream?q=${mark}`, token)
    await eventually('recent lines', () => stream.seen.length > 0)
    for (const pod of ['web-1', 'web-2'])
      await client.delete({ type: coreTypes.pod, namespace: namespaceOf(project, 'production'), name: pod })
    const ref = { type: resourceTypes.app, namespace: systemNamespace, name }
    await client.patch(ref, { metadata: { finalizers: null } })
    expect([stream.ended(), stream.names], 'a service without copies').to.deep.equal([false, []])
    await client.delete(ref)
    await eventually('the stream ended', () => stream.ended(), 15_000)
    expect(stream.names).to.deep.equal(['end'])
  }).timeout(30_000)
})
