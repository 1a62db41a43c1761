/** The client over real HTTP: the requests that it sends, and how it distinguishes refusals from missing answers. */
import { expect } from 'chai'
import { ApiError, UnreachableError } from '../../client/api-error.ts'
import { createClient, type ClientOptions } from '../../client/client.ts'
import { startRecordedService, type RecordedService } from './recorded-service.ts'

async function thrown(work: Promise<unknown>): Promise<Error> {
  try {
    await work
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('it did not fail')
}

describe('client', () => {
  let service: RecordedService
  beforeEach(async () => {
    service = await startRecordedService()
  })
  afterEach(async () => await service.stop())

  const client = (options: Partial<ClientOptions> = {}) =>
    createClient({ baseUrl: service.url, token: 'svw_a_b', userAgent: 'svc/test', ...options })

  it('sends the token, says who it is and returns the view', async () => {
    service.on('POST /apps/web/scale', { json: { ok: true } })
    expect(await client().call('apps.scale', { app: 'web', replicas: 3 })).to.deep.equal({ ok: true })
    const [asked] = service.asked
    expect(asked?.headers).to.include({
      authorization: 'Bearer svw_a_b',
      'user-agent': 'svc/test',
      'content-type': 'application/json',
    })
    expect(asked?.body).to.deep.equal({ replicas: 3 })
  })
  it('sends no credentials when it has none', async () => {
    const anonymous = createClient({ baseUrl: service.url, userAgent: 'svc/test' })
    await thrown(anonymous.call('platform.me', {}))
    expect(service.asked[0]?.headers).not.to.have.property('authorization')
  })
  it('keeps the path of an address that has one', async () => {
    await thrown(client({ baseUrl: `${service.url}/platform/` }).call('platform.me', {}))
    expect(service.asked[0]?.path).to.equal('/platform/api/v1/me')
  })
  it("hands on the service's own error", async () => {
    service.on('GET /apps/web', { status: 404, json: { error: 'app not found', code: 'not_found' } })
    const error = await thrown(client().call('apps.get', { app: 'web' }))
    expect(error)
      .to.be.instanceOf(ApiError)
      .and.to.include({ status: 404, code: 'not_found', message: 'app not found' })
  })
  it('does not repeat the page of a proxy as an error', async () => {
    service.on('GET /me', (response) => response.writeHead(502).end('<html>bad gateway'))
    const error = await thrown(client().call('platform.me', {}))
    expect(error)
      .to.be.instanceOf(ApiError)
      .and.to.include({ status: 502, message: 'the service answered with status 502' })
  })
  it('says the status of an error without a sentence', async () => {
    service.on('GET /me', { status: 400, json: { error: '', code: 'invalid_request' } })
    expect((await thrown(client().call('platform.me', {}))).message).to.equal('the service answered with status 400')
  })
  it('says so when the address is not that of svc', async () => {
    service.on('GET /me', (response) => response.writeHead(200).end('<html>hello'))
    expect((await thrown(client().call('platform.me', {}))).message).to.include('is this the address of svc?')
  })
  it('does not follow a redirect with the token', async () => {
    const other = await startRecordedService()
    service.on('GET /me', (response) => response.writeHead(307, { location: `${other.url}/api/v1/me` }).end())
    const error = await thrown(client().call('platform.me', {}))
    expect(error).to.be.instanceOf(UnreachableError)
    expect(error.message).to.include(other.url)
    expect(other.asked).to.deep.equal([])
    await other.stop()
  })
  it('says in one sentence that the service does not answer', async () => {
    await service.stop()
    const error = await thrown(client().call('platform.me', {}))
    expect(error)
      .to.be.instanceOf(UnreachableError)
      .and.to.have.property('message', `could not reach ${service.url}: connection refused`)
  })
  it('fails on an answer that takes too long', async () => {
    service.on('GET /me', () => undefined)
    const error = await thrown(client({ timeoutMs: 50 }).call('platform.me', {}))
    expect(error).to.be.instanceOf(UnreachableError)
    expect(error.message).to.include('no answer in time')
  })
  it('stops when the caller aborts', async () => {
    const controller = new AbortController()
    service.on('GET /me', () => controller.abort())
    const error = await thrown(client().call('platform.me', {}, { signal: controller.signal }))
    expect(error).to.have.property('name', 'AbortError')
  })
  it('reads a stream beyond the time limit of answers, until it is cut off', async () => {
    service.on('GET /events', (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: connected\ndata: {}\n\n')
      const cut = () => setTimeout(() => response.destroy(), 40)
      setTimeout(() => response.write('event: change\ndata: {"name":"web"}\n\n', cut), 120)
    })
    const events: unknown[] = []
    const error = await thrown(
      (async () => {
        for await (const event of await client({ timeoutMs: 60 }).call('platform.events', {})) events.push(event)
      })(),
    )
    expect(events).to.deep.equal([
      { event: 'connected', data: {} },
      { event: 'change', data: { name: 'web' } },
    ])
    expect(error).to.be.instanceOf(UnreachableError).and.to.have.property('message', 'the stream was cut off')
  })
  it('hands over any answer to a raw request, errors included', async () => {
    service.on('PUT /nodes/a', { status: 400, json: { error: 'no', code: 'invalid_request' } })
    const response = await client().request({ method: 'PUT', path: '/nodes/a', body: '{"x":1}' })
    expect([response.status, await response.json()]).to.deep.equal([400, { error: 'no', code: 'invalid_request' }])
    expect(service.asked[0]?.body).to.deep.equal({ x: 1 })
  })
  it('never puts the token into an error', async () => {
    service.on('GET /me', { status: 401, json: { error: 'invalid or expired API token', code: 'unauthenticated' } })
    const error = await thrown(client().call('platform.me', {}))
    expect(JSON.stringify([error, error.message, error.stack])).not.to.include('svw_a_b')
  })
})
