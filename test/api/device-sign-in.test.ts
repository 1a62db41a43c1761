/** Device sign-in from the first code to the token, and each way it can end otherwise. */
import { expect } from 'chai'
import { startTestApi } from './test-api.ts'
import type { Answer, TestApi } from './test-api.ts'

describe('device sign-in', () => {
  let api: TestApi
  let other: TestApi
  let cookie: string
  let now: number

  // Ten starts a minute are all an address gets, so each test has an api of its own with a clock of its own.
  beforeEach(async function () {
    this.timeout(60_000)
    now = Date.now()
    api = await startTestApi({ clock: () => now })
    other = await startTestApi({ clock: () => now })
    cookie = await api.signIn('admin')
  })
  afterEach(() => Promise.all([api.stop(), other.stop()]))

  const start = async (clientName = 'laptop') => (await api.ask('POST', '/api/v1/auth/device', { json: { clientName } })).body
  const poll = (deviceCode: string, at = api) => at.ask('POST', '/api/v1/auth/token', { json: { deviceCode } })
  const approve = (json: object, at = api) => at.ask('POST', '/api/v1/auth/device/approve', { cookie, json })
  const codeOf = (answer: Answer) => [answer.status, answer.body.code]

  it('begins with two codes and says where to go', async () => {
    const body = await start()
    expect(body.deviceCode).to.match(/^[0-9a-f]{64}$/)
    expect(body.userCode).to.match(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect(body).to.include({ expiresIn: 600, interval: 5, verificationUri: `${api.baseUrl}/device` })
    expect(body.verificationUriComplete).to.equal(`${api.baseUrl}/device?code=${body.userCode}`)
  })

  it('shows the approver who asks, whatever the case and dash of the code', async () => {
    const { userCode } = await start('my laptop')
    for (const code of [userCode, userCode.toLowerCase().replace('-', '')]) {
      const { body } = await other.ask('GET', `/api/v1/auth/device/${code}`, { cookie })
      expect(body).to.deep.equal({ userCode, clientName: 'my laptop', status: 'pending', expiresIn: 600 })
    }
    expect((await api.ask('GET', '/api/v1/auth/device/BBBB-BBBB', { cookie })).status).to.equal(404)
  })

  it('hands out the token once, on any replica', async () => {
    const { deviceCode, userCode } = await start()
    expect(codeOf(await poll(deviceCode))).to.deep.equal([400, 'authorization_pending'])
    const approved = await approve({ userCode, role: 'viewer', expiresInDays: 7 })
    expect(approved.body.item).to.include({ name: 'CLI: laptop', role: 'viewer', scope: 'workspace', createdBy: 'admin' })
    expect(approved.text).not.to.include('svw_')
    now += 6000
    const { body, headers } = await poll(deviceCode, other)
    expect(body).to.include({ tokenType: 'Bearer', role: 'viewer', approvedBy: 'admin', expiresAt: approved.body.item.expiresAt })
    expect(headers.get('cache-control')).to.equal('no-store')
    expect((await api.ask('GET', '/api/v1/me', { token: body.token })).body).to.include({ role: 'viewer', username: 'CLI: laptop' })
    now += 6000
    for (const each of [api, other]) expect(codeOf(await poll(deviceCode, each))).to.deep.equal([400, 'expired_token'])
  })

  it('hands out one token to two polls at once', async () => {
    const { deviceCode, userCode } = await start()
    await approve({ userCode })
    const answers = await Promise.all([poll(deviceCode), poll(deviceCode, other)])
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
  })

  it('gives an observer 30 days unless told otherwise', async () => {
    const { userCode } = await start()
    const { item } = (await approve({ userCode })).body
    expect(item.role).to.equal('observer')
    expect(Date.parse(item.expiresAt) - now).to.equal(30 * 86_400_000)
  })

  it('says so when it was refused, and cannot be approved afterwards', async () => {
    const { deviceCode, userCode } = await start()
    expect((await approve({ userCode, deny: true })).body).to.deep.equal({ ok: true, denied: true })
    expect(codeOf(await poll(deviceCode))).to.deep.equal([400, 'access_denied'])
    expect((await approve({ userCode })).body.error).to.equal('this sign-in request was answered already')
  })

  it('ends after ten minutes, and does not know what was never begun', async () => {
    const { deviceCode, userCode } = await start()
    now += 601_000
    expect(codeOf(await poll(deviceCode))).to.deep.equal([400, 'expired_token'])
    expect(codeOf(await poll('f'.repeat(64)))).to.deep.equal([400, 'expired_token'])
    cookie = await api.signIn('admin')
    expect((await approve({ userCode })).status).to.equal(404)
  })

  it('slows down who polls too fast, five seconds more each time, up to thirty', async () => {
    const { deviceCode } = await start()
    expect(codeOf(await poll(deviceCode))).to.deep.equal([400, 'authorization_pending'])
    for (const wait of [10, 15, 20, 25, 30, 30]) {
      now += 1000
      const answer = await poll(deviceCode)
      expect(codeOf(answer)).to.deep.equal([429, 'slow_down'])
      expect(answer.body.error).to.include(`${wait} seconds`)
    }
    now += 30_000
    expect(codeOf(await poll(deviceCode))).to.deep.equal([400, 'authorization_pending'])
  })

  it('begins ten times a minute for one address, whatever address it claims to come from', async () => {
    for (let n = 0; n < 10; n += 1) {
      const answer = await api.ask('POST', '/api/auth/device', { form: {}, headers: { 'x-forwarded-for': `203.0.113.${n}` } })
      expect(answer.status).to.equal(200)
    }
    const refused = await api.ask('POST', '/api/v1/auth/device', { json: {} })
    expect([refused.status, refused.body]).to.deep.equal([429, { error: 'too many sign-in requests, try again in a minute', code: 'rate_limited' }])
  })

  it('needs no credentials and minds no stale ones', async () => {
    const answer = await api.ask('POST', '/api/v1/auth/device', { json: {}, token: 'svw_stale' })
    expect(answer.status).to.equal(200)
  })
})
