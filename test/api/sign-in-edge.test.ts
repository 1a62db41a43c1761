/**
 * Signing in through proxies, and with browsers that another site tries to deceive or another client tries to lock out.
 */
import { request } from 'node:http'
import { expect } from 'chai'
import { apiSettings } from '../../api/process/process-settings.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, testUsers, type Answer, type TestApi } from './test-api.ts'

const { admin, viewer } = testUsers
const wrong = [400, { error: 'invalid username or password' }]
const pairOf = (answer: Answer, name: string): string =>
  answer.headers
    .getSetCookie()
    .find((each) => each.startsWith(`${name}=`))
    ?.split(';')[0] ?? ''

describe('the cookies of a sign-in', () => {
  let api: TestApi
  let plain: TestApi

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi({ env: { SVC_TRUSTED_PROXIES: '127.0.0.0/8' } })
    plain = await startTestApi({ env: { SVC_INSECURE_COOKIE: '1' } })
  })
  after(() => Promise.all([api.stop(), plain.stop()]))

  /** Sends a `Host` header that fetch would not send. */
  const cookiesFor = (at: TestApi, headers: Record<string, string>): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      const body = new URLSearchParams({ username: admin.username, password: admin.password }).toString()
      const all = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length, ...headers }
      request({ port: at.port, host: '127.0.0.1', method: 'POST', path: '/api/login', headers: all }, (answer) =>
        resolve(answer.headers['set-cookie'] ?? []),
      )
        .on('error', reject)
        .end(body)
    })
  const areSecure = async (at: TestApi, headers: Record<string, string>): Promise<boolean> => {
    const cookies = await cookiesFor(at, headers)
    expect(cookies).to.have.length(2)
    return cookies.every((each) => each.endsWith('; Secure'))
  }

  it('are Secure unless the request was made on this machine and to it', async () => {
    for (const [headers, secure] of [
      [{}, false],
      [{ host: 'localhost:8085' }, false],
      [{ host: 'svc.example.com' }, true],
      [{ 'x-forwarded-for': '203.0.113.1' }, true],
      [{ 'x-real-ip': '203.0.113.1' }, true],
      [{ forwarded: 'for=203.0.113.1' }, true],
      [{ via: '1.1 proxy' }, true],
    ] as const) {
      expect(await areSecure(api, headers), JSON.stringify(headers)).to.equal(secure)
      expect(await areSecure(plain, headers), `SVC_INSECURE_COOKIE ${JSON.stringify(headers)}`).to.equal(false)
    }
  })

  it('are Secure for everybody once the dashboard has an address, whatever Host a proxy on this machine shows', async () => {
    const { client } = await useStack()
    const ref = { type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' }
    await client.delete(ref)
    const record = {
      apiVersion,
      kind: 'SvcPlatformConfig',
      metadata: { name: 'platform', namespace: systemNamespace },
      spec: { dashboardURL: 'https://svc.example.com' },
    }
    await client.create(resourceTypes.platformConfig, record)
    try {
      await eventually('the api knows the address', async () => areSecure(api, { host: `127.0.0.1:${api.port}` }))
      expect(await areSecure(plain, {})).to.equal(false)
    } finally {
      await client.delete(ref)
    }
  }).timeout(30_000)

  it('are refused when there are two of them, since a neighbouring host can set one for the whole domain', async () => {
    const [own, tossed] = [await api.signIn('admin'), await api.signIn('viewer')]
    for (const cookie of [`${own}; ${tossed}`, `${tossed}; a=b;${own}`]) {
      for (const [method, path] of [
        ['GET', '/api/v1/me'],
        ['GET', '/api/session'],
        ['POST', '/api/tokens/create'],
      ] as const) {
        // prettier-ignore
        const { status, body } = await api.ask(method, path, { cookie })
        expect([status, body.error], path).to.deep.equal([
          400,
          'two different svc_session cookies were sent; delete the cookies of this site and its domain, and sign in again',
        ])
      }
    }
    expect((await api.ask('GET', '/api/v1/me', { cookie: `${own}; a=b; ${own}` })).body).to.include({
      username: 'admin',
    })
    const token = await api.token({ role: 'viewer', name: 'beside' })
    expect((await api.ask('GET', '/api/v1/me', { token, cookie: `${own}; ${tossed}` })).body).to.include({
      username: 'beside',
    })
  })

  it('are not given to a page elsewhere that signs its visitor in', async () => {
    const form = { username: viewer.username, password: viewer.password }
    for (const origin of ['https://evil.example', 'null']) {
      const answer = await api.ask('POST', '/api/login', { form, headers: { origin } })
      expect([answer.status, answer.body.error, answer.headers.getSetCookie()]).to.deep.equal([
        400,
        'request origin could not be verified',
        [],
      ])
    }
    expect((await api.ask('POST', '/api/login', { form, headers: { origin: api.baseUrl } })).status).to.equal(200)
    expect((await api.ask('POST', '/api/login', { form })).status, 'a program sends none').to.equal(200)
  })
})

describe('a sign-in that others try to lock', () => {
  let api: TestApi

  beforeEach(async function () {
    this.timeout(60_000)
    api = await startTestApi()
  })
  afterEach(() => api.stop())

  const login = (username: string, password: string, cookie?: string) =>
    api.ask('POST', '/api/login', { form: { username, password }, headers: cookie === undefined ? {} : { cookie } })

  it('is open to a browser that this user signed in with before, even from the very address of the others', async () => {
    const known = pairOf(await login(admin.username, admin.password), 'svc_device')
    const others = pairOf(await login(viewer.username, viewer.password), 'svc_device')
    for (let n = 0; n < 5; n += 1) await login(admin.username, 'wrong')
    for (const cookie of [
      undefined,
      others,
      `${known}x`,
      'svc_device=a.b',
      known.replace('svc_device', 'svc_session'),
    ]) {
      const { status, body } = await login(admin.username, admin.password, cookie)
      expect([status, body], String(cookie)).to.deep.equal(wrong)
    }
    expect((await login(admin.username, admin.password, known)).body).to.include({ username: 'admin' })
    // The limit of the address does not apply to this browser either.
    for (let n = 0; n < 20; n += 1) await login(`name-${n}`, 'wrong')
    expect((await login(viewer.username, viewer.password)).status).to.equal(429)
    expect((await login(admin.username, admin.password, known)).status).to.equal(200)
  }).timeout(60_000)

  it('counts failures of a known browser by themselves, and its cookie alone signs no user in', async () => {
    const known = pairOf(await login(admin.username, admin.password), 'svc_device')
    expect((await api.ask('GET', '/api/v1/me', { cookie: known })).status).to.equal(401)
    expect(
      (await api.ask('GET', '/api/v1/me', { cookie: known.replace('svc_device', 'svc_session') })).status,
    ).to.equal(401)
    for (let n = 0; n < 5; n += 1) expect((await login(admin.username, 'wrong', known)).status).to.equal(400)
    expect((await login(admin.username, admin.password, known)).status, 'locked').to.equal(400)
    expect((await login(admin.username, admin.password)).status, 'others are not').to.equal(200)
  }).timeout(30_000)
})

describe('trusted proxies', () => {
  for (const text of ['10.42.0.0/33', '10.42', 'ingress', '10.0.0.1;10.0.0.2', '127.0.0.1, x']) {
    it(`are not ${text}`, () => {
      expect(() => apiSettings({ SVC_TRUSTED_PROXIES: text })).to.throw(
        /^SVC_TRUSTED_PROXIES must be addresses and networks such as 10.42.0.0\/16/,
      )
    })
  }

  it('are networks and addresses of both families', async () => {
    const api = await startTestApi({ env: { SVC_TRUSTED_PROXIES: '127.0.0.0/8, 10.42.0.0/16,2001:db8::7' } })
    const login = (password: string, forwarded: string) =>
      api.ask('POST', '/api/login', {
        form: { username: viewer.username, password },
        headers: { 'x-forwarded-for': forwarded },
      })
    for (let n = 0; n < 5; n += 1) await login('wrong', `198.51.100.9, 203.0.113.5, 2001:db8::7, 10.42.${n}.9`)
    expect((await login(viewer.password, '203.0.113.5, 10.42.7.7')).status).to.equal(400)
    expect((await login(viewer.password, '203.0.113.5, 203.0.113.6, 10.42.7.7')).status).to.equal(200)
    expect(api.logLines().filter(({ level }) => Number(level) >= 40)).to.deep.equal([])
    await api.stop()
  }).timeout(30_000)

  it('are missed aloud, once, where requests come forwarded by others', async () => {
    const api = await startTestApi({ env: { SVC_TRUSTED_PROXIES: '10.42.0.0/16' } })
    const form = { username: viewer.username, password: viewer.password }
    for (const from of ['203.0.113.1', '203.0.113.2'])
      await api.ask('POST', '/api/login', { form, headers: { 'x-forwarded-for': from } })
    const warnings = api.logLines().filter(({ msg }) => String(msg).includes('SVC_TRUSTED_PROXIES'))
    expect(warnings.map(({ peer }) => peer)).to.deep.equal(['127.0.0.1'])
    await api.stop()
  }).timeout(30_000)
})
