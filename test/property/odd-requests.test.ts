/**
 * Requests that no conforming client sends, written byte by byte: the error still has the right shape
 * (docs/reference/conventions.md#a-request-that-is-no-http).
 */
import { expect } from 'chai'
import { connect } from 'node:net'
import { requestBodyBytes } from '../../contract/limits.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { useStack } from '../harness/stack.ts'
import { expectError } from './answers.ts'
import { keptNow, removeSince, type Kept } from './kept.ts'
import { rawRequest, type RawAnswer } from './raw-request.ts'

describe('odd requests', () => {
  let api: TestApi
  let token: string
  let atFirst: Kept

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi()
    atFirst = await keptNow((await useStack()).client)
    token = await api.token({ role: 'admin' })
  })
  after(async () => {
    await api.stop()
    await removeSince((await useStack()).client, atFirst)
  })

  const send = (firstLine: string, headers: readonly string[] = [], body = ''): Promise<RawAnswer> =>
    rawRequest(
      api.port,
      [
        `${firstLine} HTTP/1.1`,
        'Host: 127.0.0.1',
        'Connection: close',
        `Authorization: Bearer ${token}`,
        ...headers,
        '',
        body,
      ].join('\r\n'),
    )

  const paths = [
    '/api/v1/apps/%zz',
    '/api/v1/apps/..%2f..%2fsecrets',
    '/api/v1/apps/../tokens',
    '/api/v1//apps',
    '/api/v1/apps/',
    '/api/v1/',
    '/api/v1',
    '/api/v1/apps/%00',
    '/api/v1/apps/%ff%fe',
    '/api/v1/apps/a%0d%0ab',
    '/api/v1/apps/a;b',
    '/api/v1/apps/a?x=%zz&=&&',
    '/api/v1/apps/a#b',
    `/api/v1/apps/${'x'.repeat(8000)}`,
    `/api/v1/apps?project=${'x'.repeat(8000)}`,
    `/api/v1${'/x'.repeat(3000)}`,
    '/api/v1/apps/__proto__',
    '/api/v1/__proto__',
    '/api/v1/apps/constructor/status',
    '/api/v1/apps/none/deployments/%2e%2e/logs',
    '/api',
    '/api/',
    '/api//tokens',
    '/api/apps/%zz/logs',
    '/api/apps//logs',
    '/api/../healthz2',
    '/API/v1/me',
    '/api/V1/me',
    '//',
    '/%2fapi/v1/me',
    '*',
    'http://other.example/api/v1/nothing',
  ]
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE']) {
      it(`${method} ${path.slice(0, 60)} is refused in the shape of its surface`, async () => {
        const answer = await send(`${method} ${path}`, ['Content-Length: 0'])
        if (answer.status < 400) return expect(answer.status).to.be.oneOf([200, 204])
        const shown = path.startsWith('http') ? new URL(path).pathname : (path.split('?')[0] ?? '')
        if (/^\/api(\/|$)/.test(shown)) expectError(shown, answer)
        else expect([answer.status, answer.text]).to.deep.equal([404, '404 page not found'])
        return undefined
      })
    }
  }

  it('HEAD and OPTIONS of any path are answered without a body', async () => {
    for (const path of [
      '/api/v1/me',
      '/api/v1/apps',
      '/api/v1/nothing',
      '/api/session',
      '/api/nothing',
      '/nothing',
      '/svc-probe',
    ]) {
      const head = await send(`HEAD ${path}`)
      expect(head.status, path).to.be.lessThan(500)
      expect(head.text, path).to.equal('')
      const options = await send(`OPTIONS ${path}`)
      expect(options.status, path).to.be.oneOf([204, 404, 405])
    }
  })

  const v1Error = { code: 'invalid_request' }
  type Row = [title: string, text: () => string, status: number, body: object]
  const rows: Row[] = [
    ['no HTTP at all', () => 'hello\r\n\r\n', 400, v1Error],
    [
      'a head of megabytes',
      () => `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      400,
      v1Error,
    ],
    [
      'a path of megabytes',
      () => `GET /api/v1/apps/${'x'.repeat(1_000_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      400,
      v1Error,
    ],
    [
      'two lengths',
      () => 'POST /api/v1/auth/device HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      400,
      v1Error,
    ],
    [
      'a length and chunks',
      () =>
        'POST /api/v1/auth/device HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      v1Error,
    ],
    [
      'broken chunks',
      () =>
        'POST /api/v1/auth/device HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n',
      400,
      v1Error,
    ],
    ['no host', () => 'GET /api/v1/me HTTP/1.1\r\nConnection: close\r\n\r\n', 400, v1Error],
  ]
  for (const [title, text, status, body] of rows) {
    it(`${title}: ${status} with the body of an error`, async () => {
      const answer = await rawRequest(api.port, text())
      expect(answer.status, answer.text).to.equal(status)
      expect(answer.body).to.include(body).and.have.all.keys('error', 'code')
    })
  }

  it('an unknown expectation is ignored', async () => {
    expect((await send('GET /api/v1/version', ['Expect: miracles'])).status).to.equal(200)
  })

  it('a body in chunks is refused once it is over 2 MiB, whatever it claims to be', async () => {
    const chunk = 'x'.repeat(64 * 1024)
    const chunks = `${`${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(requestBodyBytes / chunk.length + 1)}0\r\n\r\n`
    for (const path of ['/api/v1/projects', '/api/projects/create']) {
      const answer = await send(`POST ${path}`, ['Transfer-Encoding: chunked'], chunks)
      expect(answer.status, path).to.equal(413)
      expectError(path, { ...answer, text: answer.text.replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/g, '') })
    }
  })

  it('a body that breaks off changes nothing and breaks nothing', async () => {
    const text = `POST /api/v1/projects HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100\r\n\r\n{"region":`
    const projects = async () => (await api.ask('GET', '/api/v1/projects', { token })).body.items.length
    const count = await projects()
    await new Promise<void>((resolve) => {
      const socket = connect(api.port, '127.0.0.1', () => socket.write(text, () => socket.destroy()))
      socket.on('close', () => resolve())
    })
    expect(await projects()).to.equal(count)
  })

  const headerRows: [string, string[]][] = [
    ['no acceptable encoding', ['Accept-Encoding: identity;q=0, *;q=0']],
    ['an encoding of nonsense', ['Accept-Encoding: ;;q=x,,']],
    ['a cookie of nonsense', ['Cookie: svc_session=%zz; svc_session; =; __proto__=1']],
    ['a request id with a line in it', ['X-Request-Id: a b c']],
    ['a forwarded address of nonsense', ['X-Forwarded-For: ,,;<script>']],
    ['a host of nonsense', ['X-Forwarded-Host: ../']],
    ['an If-Match of anything', ['If-Match: *']],
    ['a range', ['Range: bytes=0-1']],
    ['an upgrade', ['Upgrade: websocket']],
  ]
  for (const [title, headers] of headerRows) {
    it(`${title} is taken with an even temper`, async () => {
      for (const path of ['/api/v1/version', '/api/v1/openapi.json'])
        expect((await send(`GET ${path}`, headers)).status).to.equal(200)
    })
  }

  it('If-Match of any version refuses no edit', async () => {
    const { project } = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body
    const answer = await api.ask('PATCH', `/api/v1/projects/${project}`, {
      token,
      json: { region: 'eu' },
      headers: { 'if-match': '*' },
    })
    expect(answer.status, answer.text).to.equal(200)
  })

  it('neither length nor number of what a form or JSON holds keeps others waiting', async function () {
    this.timeout(60_000)
    const form = 'application/x-www-form-urlencoded'
    const bodies = [
      { body: 'a&'.repeat(1_000_000), type: form },
      { body: `repository=https://${'/'.repeat(2_000_000)}%20x&project=p&environment=e&source=git`, type: form },
      { body: `{"environments":[${'"A",'.repeat(500_000)}"A"]}` },
      { body: `{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}` },
      { body: `{${Array.from({ length: 150_000 }, (_, index) => `"k${index}":1`).join(',')}}` },
      { body: `{"functionTriggers":[${'{},'.repeat(600_000)}{}],"project":"p","environment":"e","source":"function"}` },
    ]
    for (const raw of bodies) {
      const before = process.cpuUsage()
      const answer = await api.ask('POST', '/api/v1/apps', { token, raw })
      expect(answer.status, answer.text).to.be.oneOf([400, 404])
      // CPU time of this process, which a busy machine doubles; what grew with the square would take minutes.
      expect(process.cpuUsage(before).user / 1000, raw.body.slice(0, 30)).to.be.lessThan(8000)
    }
  })
})
