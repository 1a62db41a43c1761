/** Who may read the change stream, and when it ends. */
import { expect } from 'chai'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { bearer, listenToChanges } from './listen-changes.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('the change stream', () => {
  let api: TestApi
  let token: string

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi()
    token = await api.token({ role: 'viewer' })
  })
  after(() => api.stop())

  it('ends when the token is revoked that began it, on whatever replica', async () => {
    const other = await startTestApi()
    const made = await api.ask('POST', '/api/v1/tokens', {
      json: { name: 'short', role: 'viewer' },
      cookie: await api.signIn('admin'),
    })
    await eventually(
      'the other replica knows the token',
      async () => (await other.ask('GET', '/api/v1/me', { token: made.body.token })).status === 200,
    )
    const stream = await listenToChanges(other.baseUrl, bearer(made.body.token))
    const lasting = await listenToChanges(other.baseUrl, bearer(token))
    const revoked = await api.ask('DELETE', `/api/v1/tokens/${made.body.item.id}`, {
      cookie: await api.signIn('admin'),
    })
    expect(revoked.status).to.equal(200)
    await eventually('the stream ended', () => stream.ended())
    expect(lasting.ended()).to.equal(false)
    lasting.close()
    await other.stop()
  })

  it('ends when its session signs out', async () => {
    const cookie = await api.signIn('viewer')
    const stream = await listenToChanges(api.baseUrl, { cookie })
    await api.ask('POST', '/api/logout', { cookie })
    await eventually('the stream ended', () => stream.ended())
  })

  it('is refused to project tokens and strangers, and served to sessions on both paths', async () => {
    expect((await api.ask('GET', '/api/events')).status).to.equal(401)
    const ofProject = await api.ask('POST', '/api/v1/projects', { token: await api.token({ role: 'admin' }), json: {} })
    const projectToken = await api.token({
      scope: 'project',
      project: ofProject.body.project,
      environment: 'production',
    })
    for (const path of ['/api/events', '/api/v1/events']) {
      const { status, body } = await api.ask('GET', path, { token: projectToken })
      expect([status, body.error]).to.deep.equal([403, 'this token cannot access that endpoint'])
    }
    const { client } = await useStack()
    await client.delete({ type: resourceTypes.project, namespace: systemNamespace, name: ofProject.body.project })
    const cookie = await api.signIn('viewer')
    for (const path of ['/api/events', '/api/v1/events']) {
      const stop = new AbortController()
      const response = await fetch(api.baseUrl + path, { headers: { cookie }, signal: stop.signal })
      expect(response.headers.get('content-type')).to.include('text/event-stream')
      expect(response.headers.get('cache-control')).to.include('no-transform')
      stop.abort()
    }
  })

  it('ends with the server, without being waited for', async () => {
    const own = await startTestApi()
    const stream = await listenToChanges(own.baseUrl, bearer(token))
    const startedAt = performance.now()
    await own.stop()
    // The api waits four seconds for running requests.
    expect(performance.now() - startedAt).to.be.lessThan(4000)
    await eventually('the stream ended', () => stream.ended())
  })
})
