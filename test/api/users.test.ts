/**
 * Users: signed-in admins add them, change their password or role, and remove them; and what happens to their sessions.
 */
import { expect } from 'chai'
import { forgetUsers, startTestApi, testUsers, type Answer, type TestApi } from './test-api.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'

const { admin } = testUsers
const password = 'mauve-lantern-42'
const cookieOf = ({ headers }: Answer): string =>
  headers
    .getSetCookie()
    .find((each) => each.startsWith('svc_session='))
    ?.split(';')[0] ?? ''
const short = ({ status, body }: Answer) => [status, body.error]

describe('users', () => {
  let api: TestApi
  let other: TestApi
  let cookie: string
  const made: string[] = []

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi()
    other = await startTestApi()
    cookie = await api.signIn('admin')
  })
  afterEach(async () => {
    for (const username of made.splice(0))
      await api.ask('DELETE', `/api/v1/users/${username}?confirmName=${username}`, { cookie })
  })
  // Also after a failed test, the users of the other files must exist with their roles.
  after(async () => {
    await Promise.all([api.stop(), other.stop()])
    await forgetUsers((await useStack()).client)
  })

  const add = async (username: string, role = 'viewer'): Promise<Answer> => {
    made.push(username)
    return api.ask('POST', '/api/v1/users', { cookie, json: { username, password, role } })
  }
  const login = (username: string, tried = password, at = api) =>
    at.ask('POST', '/api/login', { form: { username, password: tried } })
  const change = (path: string, json: object, by = cookie, at = api) =>
    at.ask('POST', `/api/v1/users/${path}`, { cookie: by, json })
  const isSignedIn = async (session: string, at: TestApi) =>
    (await at.ask('GET', '/api/session', { cookie: session })).body.authenticated

  it('POST /api/v1/users adds one who may sign in at once on every replica, and GET /api/v1/users lists them without passwords', async () => {
    const answer = await add('ann', 'admin')
    expect([answer.status, answer.body]).to.deep.equal([200, { ok: true, item: { username: 'ann', role: 'admin' } }])
    for (const at of [api, other])
      await eventually('ann signs in', async () => (await login('ann', password, at)).status === 200)
    const { body, text } = await api.ask('GET', '/api/v1/users', { cookie })
    expect(body.items).to.deep.include.members([
      { username: 'ann', role: 'admin' },
      { username: admin.username, role: 'admin' },
    ])
    expect(text).not.to.match(/scrypt|password|epoch/i)
    expect(short(await add('ann'))).to.deep.equal([400, 'a user ann exists already'])
  }).timeout(30_000)

  it('are not given passwords that everybody knows, on either surface', async () => {
    for (const [weak, refusal] of [
      ['changeme', 'a placeholder password is not accepted'],
      ['Password123', 'a placeholder password is not accepted'],
      ['ann-ann-ann', 'a password must not be the name of its user'],
      ['short', 'a password must be at least 8 characters'],
    ] as const) {
      const form = { username: 'ann-ann-ann', password: weak }
      expect(short(await api.ask('POST', '/api/users/create', { cookie, form }))).to.deep.equal([400, refusal])
      expect(short(await change('none/password', { password: weak }))).to.deep.equal(
        weak === 'ann-ann-ann' ? [404, 'user was not found'] : [400, refusal],
      )
    }
    expect(
      (await api.ask('GET', '/api/users', { cookie })).body.items.map(({ username }: { username: string }) => username),
    ).not.to.include('ann-ann-ann')
  }).timeout(30_000)

  it('POST /api/v1/users/{username}/password ends the sessions of the user on every replica, and the old password', async () => {
    await add('bob')
    const session = cookieOf(await login('bob'))
    expect(await isSignedIn(session, other)).to.equal(true)
    expect((await change('bob/password', { password: 'another-lantern-43' })).body).to.deep.equal({ ok: true })
    expect(await isSignedIn(session, api)).to.equal(false)
    await eventually('the other replica knows', async () => !(await isSignedIn(session, other)))
    expect((await login('bob')).status).to.equal(400)
    expect((await login('bob', 'another-lantern-43')).status).to.equal(200)
  }).timeout(30_000)

  it('POST /api/v1/users/{username}/role changes what the user may do from the next sign-in on', async () => {
    await add('cid')
    const before = cookieOf(await login('cid'))
    expect((await change('cid/role', { role: 'admin' })).body).to.deep.equal({
      ok: true,
      item: { username: 'cid', role: 'admin' },
    })
    expect(await isSignedIn(before, api)).to.equal(false)
    expect((await login('cid')).body).to.include({ role: 'admin' })
  }).timeout(30_000)

  it('DELETE /api/v1/users/{username} wants the name again, and a user of the same name does not get the old sessions back', async () => {
    await add('dan', 'admin')
    const session = cookieOf(await login('dan'))
    const { body } = await api.ask('POST', '/api/v1/tokens', { cookie: session, json: { name: 'of dan' } })
    expect(short(await api.ask('DELETE', '/api/v1/users/dan?confirmName=don', { cookie }))).to.deep.equal([
      400,
      'confirmation did not match the resource name',
    ])
    expect(
      (await api.ask('POST', '/api/users/dan/delete', { cookie, form: { confirmName: 'dan' } })).body,
    ).to.deep.equal({ ok: true, tokens: 1 })
    expect(await isSignedIn(session, api)).to.equal(false)
    await add('dan', 'admin')
    expect(await isSignedIn(session, api)).to.equal(false)
    expect((await api.ask('GET', '/api/v1/me', { token: body.token })).status, 'a token outlives its maker').to.equal(
      200,
    )
    await api.ask('DELETE', `/api/v1/tokens/${body.item.id}`, { cookie })
    for (const name of ['nobody', 'x'.repeat(101)]) {
      expect(short(await api.ask('DELETE', `/api/v1/users/${name}?confirmName=${name}`, { cookie }))).to.deep.equal([
        404,
        'user was not found',
      ])
    }
  }).timeout(30_000)

  it('always leave an admin', async () => {
    const last = [400, 'the last admin must remain']
    expect(short(await api.ask('DELETE', '/api/v1/users/admin?confirmName=admin', { cookie }))).to.deep.equal(last)
    expect(short(await change('admin/role', { role: 'viewer' }))).to.deep.equal(last)
    // Two admins remove each other at the same moment, through two replicas: one of them stays.
    await add('eve', 'admin')
    const eve = cookieOf(await login('eve'))
    const [byAdmin, byEve] = await Promise.all([
      change('eve/role', { role: 'viewer' }),
      change('admin/role', { role: 'viewer' }, eve, other),
    ])
    expect([byAdmin.status, byEve.status].filter((status) => status === 200)).to.have.length(1)
    const winner = byAdmin.status === 200 ? cookie : eve
    const { items } = (await api.ask('GET', '/api/v1/users', { cookie: winner })).body
    expect(items.filter(({ role }: { role: string }) => role === 'admin')).to.have.length(1)
    if (winner === eve) expect((await change('admin/role', { role: 'admin' }, eve)).status).to.equal(200)
    cookie = await api.signIn('admin')
  }).timeout(30_000)

  it('POST /api/v1/me/password wants the current password, keeps this browser signed in and no other', async () => {
    await add('fay')
    const [here, there] = [cookieOf(await login('fay')), cookieOf(await login('fay'))]
    const own = (json: object, by = here) => api.ask('POST', '/api/v1/me/password', { cookie: by, json })
    expect(short(await own({ currentPassword: 'wrong', newPassword: 'another-lantern-43' }))).to.deep.equal([
      400,
      'the current password is wrong',
    ])
    const changed = await own({ currentPassword: password, newPassword: 'another-lantern-43' })
    expect([changed.status, changed.body]).to.deep.equal([200, { ok: true }])
    expect(await isSignedIn(cookieOf(changed), api)).to.equal(true)
    for (const session of [here, there]) expect(await isSignedIn(session, api)).to.equal(false)
    expect((await login('fay', 'another-lantern-43')).status).to.equal(200)
    const token = await api.token({ role: 'admin' })
    const byToken = await api.ask('POST', '/api/me/password', {
      token,
      form: { currentPassword: 'x', newPassword: 'another-lantern-44' },
    })
    expect(short(byToken)).to.deep.equal([400, 'a token has no password; sign in as the user'])
    expect(short(await change('admin/password', { password: 'another-lantern-45' }))).to.deep.equal([
      400,
      'change your own password with the current one: POST /me/password',
    ])
  }).timeout(30_000)

  it('leave audit lines with names, and never a password', async () => {
    await add('gil')
    await change('gil/password', { password: 'another-lantern-43' })
    const lines = api
      .logLines()
      .filter(({ audit, resource }) => audit === true && (resource as { username?: string }).username === 'gil')
    expect(lines.map(({ actor, operation, result }) => [actor, operation, result])).to.deep.equal([
      ['admin', 'users.create', 'done'],
      ['admin', 'users.set-password', 'done'],
    ])
    expect(JSON.stringify(api.logLines())).not.to.match(/lantern/)
  }).timeout(30_000)
})
