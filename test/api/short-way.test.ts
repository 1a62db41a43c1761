/** Reads in front of the application: what they follow at once, what they leave to it, and what is noted of them. */
import { expect } from 'chai'
import { readBothWays, readByApplication, readRaw, shortReadsOf } from './both-ways.ts'
import { startTestApi, type Asked, type TestApi } from './test-api.ts'

describe('A read that goes the short way', () => {
  let api: TestApi
  let cookie: string
  let admin: Asked
  let project: string
  let app: string

  before(async function () {
    this.timeout(60_000)
    const now = Date.now()
    api = await startTestApi({ clock: () => now })
    cookie = await api.signIn('admin')
    admin = { token: await api.token({ role: 'admin' }) }
    project = (await api.ask('POST', '/api/v1/projects', { ...admin, json: {} })).body.project
    const json = { project, environment: 'production', image: 'nginx:1' }
    app = (await api.ask('POST', '/api/v1/apps', { ...admin, json })).body.name
  })
  after(async () => {
    await api.ask('DELETE', `/api/v1/apps/${app}`, { ...admin, json: { confirmName: app } })
    await api.ask('DELETE', `/api/v1/projects/${project}`, { ...admin, json: { confirmName: project } })
    await api.stop()
  })

  /** Whether the next such read is one. */
  async function isShort(path: string, asked: Asked, method?: string): Promise<boolean> {
    const before = await shortReadsOf(api)
    await readRaw(api, path, asked, method)
    return (await shortReadsOf(api)) > before
  }

  it('finds what was written a moment ago, in every answer about the service', async () => {
    const paths = [`/api/v1/apps/${app}/status`, `/api/v1/apps/${app}`, `/api/v1/apps?project=${project}`]
    for (let round = 1; round <= 3; round += 1) {
      for (const path of paths) expect((await readBothWays(api, path, admin)).isShort, path).to.equal(true)
      const json = { key: `ROUND_${round}`, value: 'on' }
      await api.ask('POST', `/api/v1/apps/${app}/config/set`, { ...admin, json })
      await api.ask('POST', `/api/v1/apps/${app}/display-name`, { ...admin, json: { displayName: `round ${round}` } })
      for (const path of paths) {
        const { body } = await readRaw(api, path, admin)
        expect(body, path).to.equal((await readByApplication(api, path, admin)).body)
        if (!path.endsWith('/status')) expect(body, path).to.include(`"displayName":"round ${round}"`)
      }
    }
    expect((await readRaw(api, paths[1] ?? '', admin)).body).to.include('ROUND_3')
  })

  it('shows the copies of now', async () => {
    const path = `/api/v1/apps/${app}/status`
    const before = JSON.parse((await readRaw(api, path, admin)).body) as { state: string }
    await api.ask('POST', `/api/v1/apps/${app}/deploy`, admin)
    const after = JSON.parse((await readRaw(api, path, admin)).body) as { state: string; lastAttempt: object }
    expect([before.state, after.state]).to.deep.equal(['draft', 'pending'])
    expect(after.lastAttempt).to.include({ phase: 'Running' })
  })

  it('is refused with the token that was revoked before it', async () => {
    const { token, item } = (await api.ask('POST', '/api/v1/tokens', { cookie, json: { role: 'admin' } })).body
    expect((await readBothWays(api, '/api/v1/me', { token })).isShort).to.equal(true)
    await api.ask('DELETE', `/api/v1/tokens/${item.id}`, { cookie })
    expect((await readRaw(api, '/api/v1/me', { token })).status).to.equal(401)
  })

  it('is refused with the session that was signed out before it', async () => {
    const own = { cookie: await api.signIn('viewer') }
    expect((await readBothWays(api, '/api/v1/me', own)).isShort).to.equal(true)
    await api.ask('POST', '/api/logout', own)
    expect((await readRaw(api, '/api/v1/me', own)).status).to.equal(401)
  })

  it('is noted like any other: request id, path without query, status, and its operation in the metrics', async () => {
    const path = `/api/v1/apps?project=${project}`
    const of = async (read: typeof readRaw, id: string) => {
      await read(api, path, { ...admin, headers: { 'x-request-id': id } })
      const { time: _, ms, ...line } = api.logLines().find(({ requestId }) => requestId === id) ?? {}
      expect(ms).to.be.a('number')
      return line
    }
    const counted = async (): Promise<number> => {
      const { text } = await api.ask('GET', '/metrics')
      return Number(/^svc_api_request_seconds_count\{operation="apps.list",status="200"\} (\d+)$/m.exec(text)?.[1])
    }
    const before = await counted()
    const short = await of(readRaw, 'the-short-way')
    expect(short).to.deep.equal({ ...(await of(readByApplication, 'the-long-way')), requestId: 'the-short-way' })
    expect(short).to.deep.include({ method: 'GET', path: '/api/v1/apps', status: 200, msg: 'request' })
    expect((await counted()) - before).to.equal(2)
  })

  it('gets an id of its own when its caller names none', async () => {
    const { head } = await readRaw(api, '/api/v1/version', admin)
    expect(head[head.indexOf('X-Request-Id') + 1]).to.match(/^[\da-f-]{36}$/)
  })

  describe('is none, and answered by the application,', () => {
    const long = () => '/api/v1/templates'
    const others: readonly (readonly [string, () => string, Asked, string?])[] = [
      ['with a method of another kind', () => '/api/v1/version', {}, 'HEAD'],
      ['with an address that has to be decoded', () => `/api/v1/apps/${app.replace(/.$/, '%2D')}/status`, {}],
      ['with an address that is not quite right', () => '/api/v1/version/', {}],
      ['with a body', () => '/api/v1/version', { headers: { 'content-length': '0' } }],
      ['with a condition', () => '/api/v1/version', { headers: { 'if-match': '*' } }],
      ['of a long answer to a caller who takes compressed ones', long, { headers: { 'accept-encoding': 'gzip' } }],
      ['with two different session cookies', () => '/api/v1/me', { cookie: 'svc_session=a; svc_session=b' }],
      ['of a service that is not there', () => '/api/v1/apps/nowhere/status', {}],
    ]
    for (const [what, path, asked, method] of others)
      it(what, async () => {
        expect(await isShort(path(), { ...(asked.cookie === undefined ? admin : {}), ...asked }, method)).to.equal(
          false,
        )
      })
  })
})
