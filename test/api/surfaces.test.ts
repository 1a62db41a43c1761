/** Answers of both surfaces to requests that never reach a handler: shapes of errors, methods, bodies, origins. */
import { expect } from 'chai'
import { connect } from 'node:net'
import { requestBodyBytes } from '../../contract/limits.ts'
import { rawRequest } from '../property/raw-request.ts'
import { startTestApi, type Asked, type TestApi } from './test-api.ts'

describe('the surfaces of the api', () => {
  let api: TestApi
  let cookie: string
  let token: string

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi()
    cookie = await api.signIn('admin')
    token = await api.token({ name: 'tests', role: 'admin' })
  })
  after(() => api.stop())

  type Row = [name: string, method: string, path: string, asked: () => Asked, status: number, body: object | string]
  const rows: Row[] = [
    [
      'v1: no caller is signed in',
      'GET',
      '/api/v1/me',
      () => ({}),
      401,
      { error: 'authentication required', code: 'unauthenticated' },
    ],
    [
      'v1: a token that was never made',
      'GET',
      '/api/v1/me',
      () => ({ token: 'svw_x_y' }),
      401,
      { error: 'invalid or expired API token', code: 'unauthenticated' },
    ],
    [
      'v1: an unknown path',
      'GET',
      '/api/v1/nothing',
      () => ({ token }),
      404,
      { error: 'not found', code: 'not_found' },
    ],
    [
      'v1: there is no password sign-in',
      'POST',
      '/api/v1/login',
      () => ({ json: {} }),
      404,
      { error: 'not found', code: 'not_found' },
    ],
    [
      'v1: a verb without a mapping',
      'PUT',
      '/api/v1/nodes/n1',
      () => ({ token }),
      400,
      { error: 'PUT is not supported on this path', code: 'invalid_request' },
    ],
    [
      'v1: a GET of what is only posted',
      'GET',
      '/api/v1/auth/device',
      () => ({ token }),
      405,
      { error: 'method not allowed', code: 'method_not_allowed' },
    ],
    [
      'v1: a POST to what is only read',
      'POST',
      '/api/v1/version',
      () => ({ token, json: {} }),
      405,
      { error: 'method not allowed', code: 'method_not_allowed' },
    ],
    [
      'v1: a verb that no operation has',
      'PROPFIND',
      '/api/v1/version',
      () => ({ token }),
      405,
      { error: 'method not allowed', code: 'method_not_allowed' },
    ],
    [
      'v1: a body that is a list',
      'POST',
      '/api/v1/tokens',
      () => ({ cookie, json: [] }),
      400,
      { error: 'request body must be a JSON object', code: 'invalid_request' },
    ],
    [
      'v1: a body that is no JSON',
      'POST',
      '/api/v1/tokens',
      () => ({ cookie, raw: { body: '{' } }),
      400,
      { error: 'request body is not valid JSON', code: 'invalid_request' },
    ],
    [
      'v1: a failing rule',
      'POST',
      '/api/v1/tokens',
      () => ({ cookie, json: { expiresInDays: -1 } }),
      400,
      { error: 'expiresInDays must be a whole number from 0 to 3650', code: 'invalid_request' },
    ],
    ['dashboard: no caller is signed in', 'GET', '/api/tokens', () => ({}), 401, { error: 'authentication required' }],
    ['dashboard: an unknown GET is plain text', 'GET', '/api/nothing', () => ({ cookie }), 404, '404 page not found'],
    [
      'dashboard: a GET of what is only posted is plain text',
      'GET',
      '/api/login',
      () => ({}),
      404,
      '404 page not found',
    ],
    ['dashboard: an unknown POST', 'POST', '/api/nothing', () => ({ cookie }), 404, { error: 'not found' }],
    [
      'dashboard: neither GET nor POST',
      'DELETE',
      '/api/tokens',
      () => ({ cookie }),
      405,
      { error: 'method not allowed' },
    ],
    ['dashboard: HEAD is neither', 'HEAD', '/api/session', () => ({}), 405, ''],
    [
      'dashboard: a session has no token of its own',
      'GET',
      '/api/token',
      () => ({ cookie }),
      400,
      { error: 'this endpoint needs an API token' },
    ],
    [
      'dashboard: JSON is not a form',
      'POST',
      '/api/tokens/revoke',
      () => ({ cookie, json: { id: 'x' } }),
      415,
      { error: 'send form-encoded data' },
    ],
    [
      'dashboard: a resource that is not there is plain text',
      'POST',
      '/api/apps/none/deploy',
      () => ({ token, form: {} }),
      404,
      '404 page not found',
    ],
    [
      'v1: a resource that is not there',
      'POST',
      '/api/v1/apps/none/deploy',
      () => ({ token }),
      404,
      { error: 'app not found', code: 'not_found' },
    ],
    [
      'v1: a forwarded path of a resource that is not there',
      'POST',
      '/api/v1/apps/none/env/delete',
      () => ({ token, json: { name: 'X' } }),
      404,
      { error: 'app not found', code: 'not_found' },
    ],
    ['pages: what is not there', 'GET', '/nothing', () => ({}), 404, '404 page not found'],
  ]
  for (const [name, method, path, asked, status, body] of rows) {
    it(`${name}: ${method} ${path} is ${status}`, async () => {
      const answer = await api.ask(method, path, asked())
      expect(answer.status).to.equal(status)
      expect(answer.body ?? answer.text).to.deep.equal(body)
    })
  }

  it('takes a form on the versioned API, too', async () => {
    const answer = await api.ask('POST', '/api/v1/auth/device', { form: { clientName: 'ci' } })
    expect(answer.status).to.equal(200)
  })

  it('answers HEAD on the versioned API like GET without the body', async () => {
    const answer = await api.ask('HEAD', '/api/v1/version', { token })
    expect([answer.status, answer.text]).to.deep.equal([200, ''])
  })

  const heads: [string, number][] = [
    ['/api/v1/openapi.json', 200],
    ['/api/v1/events', 200],
    ['/api/v1/apps/none', 404],
    ['/api/v1/nothing', 404],
    ['/api/v1/auth/device', 405],
    ['/healthz', 200],
    ['/docs', 200],
    ['/nothing', 404],
  ]
  for (const [path, status] of heads) {
    it(`answers HEAD ${path} with ${status} and no body, as GET would`, async () => {
      const answer = await api.ask('HEAD', path, { token })
      expect([answer.status, answer.text]).to.deep.equal([status, ''])
    })
  }

  it('calls a path that is not there unknown to OPTIONS, too', async () => {
    expect((await api.ask('OPTIONS', '/api/v1/nothing', { token })).body).to.deep.equal({
      error: 'not found',
      code: 'not_found',
    })
    expect((await api.ask('OPTIONS', '/api/session', { token })).status).to.equal(405)
  })

  it('names the methods of a path to OPTIONS and in a 405', async () => {
    const options = await api.ask('OPTIONS', '/api/v1/tokens', { token })
    expect([options.status, options.headers.get('allow')]).to.deep.equal([204, 'GET, POST, HEAD, OPTIONS'])
    const refused = await api.ask('GET', '/api/v1/auth/device', { token })
    expect(refused.headers.get('allow')).to.equal('POST, OPTIONS')
  })

  for (const path of ['/api/v1/auth/device', '/api/auth/device']) {
    it(`refuses a body over 2 MiB at ${path} and closes the connection`, async () => {
      const answer = await api.ask('POST', path, {
        raw: { body: 'x'.repeat(requestBodyBytes + 1), type: 'application/x-www-form-urlencoded' },
      })
      expect(answer.status).to.equal(413)
      expect(answer.headers.get('connection')).to.equal('close')
      expect(answer.body.error).to.equal('request body is larger than 2 MiB')
      const next = await api.ask('GET', '/api/session')
      expect(next.status).to.equal(200)
    })
  }

  it('answers 413 to a client that sends all of a far larger body before it reads', async () => {
    const length = 6 * requestBodyBytes
    const lines = ['POST /api/v1/projects HTTP/1.1', 'Host: a', `Content-Length: ${length}`]
    for (const credentials of [[], [`Authorization: Bearer ${token}`]]) {
      const head = [...lines, ...credentials, '', ''].join('\r\n')
      expect(await sendAllThenRead(api.port, `${head}${'x'.repeat(length)}`)).to.match(/^HTTP\/1.1 413 .*"too_large"/s)
    }
  })

  it('answers 413 to a client that sends nothing of the body it announced', async () => {
    const head = `POST /api/v1/projects HTTP/1.1\r\nHost: a\r\nContent-Length: ${requestBodyBytes + 1}\r\n\r\n`
    expect((await rawRequest(api.port, head)).status).to.equal(413)
  })

  it('takes a body of exactly 2 MiB', async () => {
    const json = { clientName: 'x' }
    const body = JSON.stringify(json).padEnd(requestBodyBytes, ' ')
    expect((await api.ask('POST', '/api/v1/auth/device', { raw: { body } })).status).to.equal(200)
  })

  describe('a write with a session cookie', () => {
    const revoke = (headers: Record<string, string>) =>
      api.ask('POST', '/api/tokens/revoke', { cookie, form: { id: 'none' }, headers })
    it('passes from the dashboard by Origin or by Referer', async () => {
      expect((await revoke({ origin: api.baseUrl })).status).to.equal(404)
      expect((await revoke({ referer: `${api.baseUrl}/tokens?x=1` })).status).to.equal(404)
      expect((await revoke({ 'sec-fetch-site': 'same-origin' })).status).to.equal(404)
    })
    for (const [name, headers] of [
      ['another host', { origin: 'https://evil.example' }],
      ['another port', { origin: 'http://127.0.0.1:1' }],
      ['an opaque origin', { origin: 'null' }],
      ['a referer elsewhere', { referer: 'https://evil.example/' }],
      ['nothing', { referer: '' }],
      ['a page of the same site, by the browser', { 'sec-fetch-site': 'same-site' }],
      ['a page of another site, by the browser', { 'sec-fetch-site': 'cross-site' }],
    ] as const) {
      it(`is refused from ${name}, on both surfaces`, async () => {
        expect((await revoke(headers)).body).to.deep.equal({ error: 'request origin could not be verified' })
        const v1 = await api.ask('DELETE', '/api/v1/tokens/none', { cookie, headers })
        expect(v1.body).to.deep.equal({ error: 'request origin could not be verified', code: 'invalid_request' })
      })
    }
    it('needs no origin with a Bearer token', async () => {
      expect((await api.ask('POST', '/api/v1/tokens', { token, json: {} })).status).to.equal(403)
    })
  })

  it('carries security headers and a request id that the log has, too', async () => {
    const answer = await api.ask('GET', '/api/v1/version', { token, headers: { 'x-request-id': 'my-own-request-id' } })
    expect(answer.headers.get('x-request-id')).to.equal('my-own-request-id')
    expect(answer.headers.get('x-content-type-options')).to.equal('nosniff')
    expect(answer.headers.get('cache-control')).to.equal('no-store')
    const line = api.logLines().find(({ requestId, msg }) => requestId === 'my-own-request-id' && msg === 'request')
    expect(line).to.include({ method: 'GET', path: '/api/v1/version', status: 200 })
    expect(line).not.to.have.any.keys('actor', 'user')
  })

  it('answers health with the age of each cache, and metrics to this machine only', async () => {
    const health = await api.ask('GET', '/healthz')
    expect(health.status).to.equal(200)
    expect(health.body.caches.apps).to.include({ synced: true, stale: false })
    expect((await api.ask('GET', '/metrics')).text)
      .to.include('svc_cache_age_seconds{cache="apps"}')
      .and.to.include('svc_oldest_attempt_seconds{kind="apps"}')
    expect((await api.ask('GET', '/metrics', { headers: { 'x-forwarded-for': '203.0.113.9' } })).status).to.equal(404)
    expect((await api.ask('GET', '/svc-probe')).body).to.deep.equal({ ok: true, service: 'svc-dashboard' })
  })
})

/** The answer to bytes that are all sent before any of it is read; rejects where the connection breaks meanwhile. */
function sendAllThenRead(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1')
    socket.on('error', reject).on('close', () => resolve(answer))
    socket.on('data', (data) => (answer += String(data))).pause()
    socket.write(bytes, () => socket.resume())
  })
}
