/** Signing in with a password: sessions, sign-out everywhere, lockout, first users. */
import { expect } from 'chai'
import { createHmac } from 'node:crypto'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { AuthSecret } from '../../records/secrets/auth-secret.ts'
import { useStack } from '../harness/stack.ts'
import { forgetUsers, startTestApi, testUsers, type TestApi } from './test-api.ts'

const { admin, viewer } = testUsers

describe('signing in', () => {
  let api: TestApi
  let now = Date.now()

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi({ clock: () => now, env: { SVC_TRUSTED_PROXIES: '127.0.0.1' } })
  })
  beforeEach(() => {
    now = Date.now()
  })
  after(() => api.stop())

  const login = (username: string, password: string, from = '203.0.113.1') =>
    api.ask('POST', '/api/login', { form: { username, password }, headers: { 'x-forwarded-for': from } })

  it('POST /api/login answers who signed in, with cookies that scripts cannot read', async () => {
    const answer = await login(admin.username, admin.password)
    expect(answer.body).to.deep.equal({
      ok: true,
      authenticated: true,
      username: 'admin',
      role: 'admin',
      canMutate: true,
    })
    const [session, device, ...others] = answer.headers.getSetCookie()
    expect(session).to.match(/^svc_session=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/)
    expect(device).to.match(/^svc_device=[\w.-]+; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax; Secure$/)
    expect(others).to.deep.equal([])
  })

  it('GET /api/session tells who it is, on every replica', async () => {
    const other = await startTestApi()
    const cookie = await api.signIn('viewer')
    for (const each of [api, other]) {
      expect((await each.ask('GET', '/api/session', { cookie })).body).to.deep.equal({
        authenticated: true,
        username: viewer.username,
        role: 'viewer',
        canMutate: false,
      })
    }
    await other.stop()
    expect((await api.ask('GET', '/api/v1/me', { cookie })).body).to.deep.equal({
      username: viewer.username,
      role: 'viewer',
      canMutate: false,
      canReadSensitive: false,
      authentication: 'session',
    })
  })

  it('answers a wrong password, an unknown name and no fields at all alike', async () => {
    for (const form of [{ username: 'admin', password: 'wrong' }, { username: 'nobody', password: 'wrong' }, {}]) {
      const answer = await api.ask('POST', '/api/login', { form })
      expect([answer.status, answer.body]).to.deep.equal([400, { error: 'invalid username or password' }])
      expect(answer.headers.has('set-cookie')).to.equal(false)
    }
  })

  it('POST /api/logout ends every session of that user and of no other', async () => {
    const [one, two, other] = [await api.signIn('viewer'), await api.signIn('viewer'), await api.signIn('admin')]
    const answer = await api.ask('POST', '/api/logout', { cookie: one })
    expect(answer.body).to.deep.equal({ ok: true, authenticated: false })
    for (const cookie of [one, two])
      expect((await api.ask('GET', '/api/session', { cookie })).body).to.deep.equal({ authenticated: false })
    expect((await api.ask('GET', '/api/session', { cookie: other })).body).to.include({ authenticated: true })
  })

  it('refuses a sign-out from another origin', async () => {
    const cookie = await api.signIn('viewer')
    const answer = await api.ask('POST', '/api/logout', { cookie, headers: { origin: 'https://evil.example' } })
    expect(answer.status).to.equal(400)
    expect((await api.ask('GET', '/api/session', { cookie })).body).to.include({ authenticated: true })
  })

  it('ends a session after 12 hours', async () => {
    const cookie = await api.signIn('viewer')
    now += 12 * 3600 * 1000 - 1000
    expect((await api.ask('GET', '/api/session', { cookie })).body).to.include({ authenticated: true })
    now += 2000
    expect((await api.ask('GET', '/api/session', { cookie })).body).to.deep.equal({ authenticated: false })
  })

  it('refuses a cookie that was changed or signed with another key', async () => {
    const cookie = await api.signIn('viewer')
    const forged = Buffer.from(JSON.stringify({ username: 'admin', epoch: 1, expiresAt: now + 1e6 })).toString(
      'base64url',
    )
    const signature = createHmac('sha256', 'guess').update(forged).digest('base64url')
    const changed = `svc_session=${forged}.${cookie.split('.')[1] ?? ''}`
    for (const bad of [
      `svc_session=${forged}.${signature}`,
      changed,
      `${cookie}x`,
      'svc_session=',
      'svc_session=a.b.c',
    ]) {
      expect((await api.ask('GET', '/api/v1/me', { cookie: bad })).status, bad).to.equal(401)
    }
  })

  it('never falls back to the cookie when a Bearer token fails', async () => {
    const cookie = await api.signIn('admin')
    const answer = await api.ask('GET', '/api/v1/me', { cookie, token: 'svw_aaaaaaaaaaaa_bad' })
    expect([answer.status, answer.body.error]).to.deep.equal([401, 'invalid or expired API token'])
  })

  it('locks a name at an address after five failures, with the answer of a wrong password', async () => {
    for (let n = 0; n < 5; n += 1) expect((await login(admin.username, 'wrong', '203.0.113.5')).status).to.equal(400)
    const right = await login(admin.username, admin.password, '203.0.113.5')
    expect([right.status, right.body]).to.deep.equal([400, { error: 'invalid username or password' }])
    expect((await login(admin.username, admin.password, '203.0.113.6')).status, 'same name elsewhere').to.equal(200)
    expect((await login(viewer.username, viewer.password, '203.0.113.5')).status, 'other name there').to.equal(200)
  }).timeout(10_000)

  it('lets no more than five of many attempts at once see the password', async () => {
    const many = await Promise.all(Array.from({ length: 12 }, () => login(viewer.username, 'wrong', '203.0.113.7')))
    expect(many.every(({ status }) => status === 400)).to.equal(true)
    expect((await login(viewer.username, viewer.password, '203.0.113.7')).status).to.equal(400)
  }).timeout(10_000)

  it('drops the failures before a right password', async () => {
    for (let round = 0; round < 2; round += 1) {
      for (let n = 0; n < 4; n += 1) await login(viewer.username, 'wrong', '203.0.113.8')
      expect((await login(viewer.username, viewer.password, '203.0.113.8')).status).to.equal(200)
    }
  }).timeout(10_000)

  it('writes neither passwords nor cookies to the log', async () => {
    const cookie = await api.signIn('admin')
    await login('admin', 'hunter2-hunter2')
    await login('hunter2-hunter2', '')
    const log = JSON.stringify(api.logLines())
    for (const secret of [admin.password, 'hunter2-hunter2', cookie.slice('svc_session='.length)])
      expect(log).not.to.include(secret)
    const names = api.logLines().filter(({ audit, operation }) => audit === true && operation === 'auth.login')
    expect(names.slice(-3).map(({ resource, result }) => [resource, result])).to.deep.equal([
      [{ username: 'admin' }, 'done'],
      [{ username: 'admin' }, 'refused'],
      [{}, 'refused'],
    ])
  })
})

describe('the first start', () => {
  after(async () => {
    const { client } = await useStack()
    await forgetUsers(client)
  })
  beforeEach(async function () {
    this.timeout(60_000)
    await forgetUsers((await useStack()).client)
  })

  it('makes admin with a random password when no user is set, and keeps it in a Secret until it is used', async () => {
    const env = { SVC_DASHBOARD_USERS: '', SVC_FIRST_ADMIN: '1' }
    const first = await startTestApi({ env })
    if (first.firstUsers.outcome !== 'made admin') throw new Error(`got ${first.firstUsers.outcome}`)
    const { username, secret } = first.firstUsers
    const ref = { type: coreTypes.secret, namespace: systemNamespace, name: secret }
    const { client } = await useStack()
    const password = Buffer.from((await client.get<AuthSecret>(ref))?.data?.['password'] ?? '', 'base64').toString()
    expect(password).to.have.length(20)
    const answer = await first.ask('POST', '/api/login', { form: { username, password } })
    expect(answer.body).to.include({ username: 'admin', role: 'admin' })
    expect(await client.get(ref), 'once it was used').to.equal(undefined)
    expect(JSON.stringify(first.logLines())).not.to.include(password)
    const second = await startTestApi({ env })
    expect(second.firstUsers).to.deep.equal({ outcome: 'already set' })
    await Promise.all([first.stop(), second.stop()])
  })

  it('refuses everybody while no users are set', async () => {
    const api = await startTestApi({ env: { SVC_DASHBOARD_USERS: '' } })
    expect(api.firstUsers).to.deep.equal({ outcome: 'none' })
    expect((await api.ask('POST', '/api/login', { form: { username: 'admin', password: '' } })).status).to.equal(400)
    await api.stop()
  })

  it('takes the users of the Secret over those of the environment ever after', async () => {
    await (await startTestApi()).stop()
    const api = await startTestApi({
      env: { SVC_DASHBOARD_USERS: '[{"username":"eve","password":"eves-own-password","role":"admin"}]' },
    })
    expect(api.firstUsers).to.deep.equal({ outcome: 'already set' })
    expect(
      (await api.ask('POST', '/api/login', { form: { username: 'eve', password: 'eves-own-password' } })).status,
    ).to.equal(400)
    await api.stop()
  })

  for (const [name, users] of [
    ['a placeholder password', '[{"username":"admin","password":"change-me","role":"admin"}]'],
    ['a short password', '[{"username":"admin","password":"hunter2","role":"admin"}]'],
    ['a role only tokens have', '[{"username":"admin","password":"long-enough-1","role":"observer"}]'],
    ['no JSON', 'admin:hunter22222'],
  ] as const) {
    it(`does not start with ${name}, and does not repeat it`, async () => {
      const refusal = await startTestApi({ env: { SVC_DASHBOARD_USERS: users } }).catch((error: unknown) => error)
      expect(refusal).to.be.instanceOf(Error)
      expect(String(refusal))
        .to.include('SVC_DASHBOARD_USERS')
        .and.not.match(/change-me|hunter2|long-enough/)
    })
  }

  it('keeps passwords as salted scrypt hashes only', async () => {
    const api = await startTestApi()
    const { client } = await useStack()
    const secret = await client.get<never>({
      type: coreTypes.secret,
      namespace: systemNamespace,
      name: 'svc-dashboard-auth',
    })
    const data = (secret as unknown as { data: { users: string } }).data.users
    const stored = Buffer.from(data, 'base64').toString()
    expect(stored).not.to.include(admin.password)
    expect(stored.match(/scrypt\$32768\$8\$1\$/g)).to.have.length(2)
    await api.stop()
  })
})
