/** Device sign-in from the first code to the token, and every other way it can end. */
import { EventEmitter, on } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { ClusterError } from '../../cluster/objects/errors.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type Answer, type TestApi } from './test-api.ts'

/** A watch that yields no event until it is ended. */
async function* silence(signal: AbortSignal | undefined): AsyncGenerator<never> {
  // The emitter never emits.
  yield* on(new EventEmitter(), 'event', signal === undefined ? {} : { signal }) as AsyncIterable<never>
}

describe('device sign-in', () => {
  let api: TestApi
  let other: TestApi
  let cookie: string
  let now: number

  // The api accepts ten starts a minute per address, so each test has an api and a clock of its own.
  beforeEach(async function () {
    this.timeout(60_000)
    now = Date.now()
    api = await startTestApi({ clock: () => now })
    other = await startTestApi({ clock: () => now })
    cookie = await api.signIn('admin')
  })
  afterEach(async () => {
    await Promise.all([api.stop(), other.stop()])
    // Sign-ins begun with a clock that ran ahead would count for a long time.
    await (
      await useStack()
    ).client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: 'svc-device-sign-ins' })
  })

  const start = async (clientName = 'laptop') =>
    (await api.ask('POST', '/api/v1/auth/device', { json: { clientName } })).body
  const poll = (deviceCode: string, at = api) => at.ask('POST', '/api/v1/auth/token', { json: { deviceCode } })
  const approve = (json: object, at = api) => at.ask('POST', '/api/v1/auth/device/approve', { cookie, json })
  /** Polls at the interval of a real client until the replica knows the decision. */
  const pollOut = async (deviceCode: string, at: TestApi): Promise<Answer> => {
    now += 6000
    const answer = await poll(deviceCode, at)
    if (answer.body.code !== 'authorization_pending') return answer
    await sleep(100) // a replica learns of it within moments, while the code lasts for a hundred polls
    return pollOut(deviceCode, at)
  }
  const codeOf = (answer: Answer) => [answer.status, answer.body.code]

  it('POST /api/v1/auth/device answers two codes and where to go', async () => {
    const body = await start()
    expect(body.deviceCode).to.match(/^[0-9a-f]{64}$/)
    expect(body.userCode).to.match(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect(body).to.include({ expiresIn: 600, interval: 5, verificationUri: `${api.baseUrl}/device` })
    expect(body.verificationUriComplete).to.equal(`${api.baseUrl}/device?code=${body.userCode}`)
  })

  it('GET /api/v1/auth/device/{code} shows the approver who asks, whatever the case and dash of the code', async () => {
    const { userCode } = await start('my laptop')
    for (const code of [userCode, userCode.toLowerCase().replace('-', '')]) {
      const { body } = await other.ask('GET', `/api/v1/auth/device/${code}`, { cookie })
      expect(body).to.deep.equal({ userCode, clientName: 'my laptop', status: 'pending', expiresIn: 600 })
    }
    for (const code of ['BBBB-BBBB', 'B'.repeat(51), '%00']) {
      expect((await api.ask('GET', `/api/v1/auth/device/${code}`, { cookie })).status, code).to.equal(404)
    }
  })

  it('POST /api/v1/auth/device/approve and POST /api/v1/auth/token hand out the token once, on any replica', async () => {
    const { deviceCode, userCode } = await start()
    expect(codeOf(await poll(deviceCode))).to.deep.equal([400, 'authorization_pending'])
    const approved = await approve({ userCode, role: 'viewer', expiresInDays: 7 })
    expect(approved.body.item).to.include({
      name: 'CLI: laptop',
      role: 'viewer',
      scope: 'workspace',
      createdBy: 'admin',
    })
    expect(approved.text).not.to.include('svw_')
    const { body, headers } = await pollOut(deviceCode, other)
    expect(body).to.include({
      tokenType: 'Bearer',
      role: 'viewer',
      approvedBy: 'admin',
      expiresAt: approved.body.item.expiresAt,
    })
    expect(headers.get('cache-control')).to.equal('no-store')
    expect((await api.ask('GET', '/api/v1/me', { token: body.token })).body).to.include({
      role: 'viewer',
      username: 'CLI: laptop',
    })
    now += 6000
    for (const each of [api, other]) expect(codeOf(await poll(deviceCode, each))).to.deep.equal([400, 'expired_token'])
  })

  it('a token is accepted by a replica whose cache does not have it yet', async () => {
    const { client } = await useStack()
    const deaf = await startTestApi({
      client: { ...client, watch: async (_, { signal }) => silence(signal) },
      clock: () => now,
    })
    const { deviceCode, userCode } = await start()
    expect((await approve({ userCode, role: 'viewer' }, deaf)).status).to.equal(200)
    const { body } = await pollOut(deviceCode, other)
    const used = await deaf.ask('GET', '/api/v1/me', { token: body.token })
    expect([used.status, used.body.role]).to.deep.equal([200, 'viewer'])
    await deaf.stop()
  })

  it('hands out one token to many polls at once, on both replicas, and one only', async () => {
    const { deviceCode, userCode } = await start()
    const { item } = (await approve({ userCode })).body
    const answers = await Promise.all([
      poll(deviceCode),
      poll(deviceCode, other),
      poll(deviceCode),
      poll(deviceCode, other),
    ])
    const [handed, ...others] = answers.toSorted((a, b) => a.status - b.status)
    expect(handed?.status).to.equal(200)
    for (const each of others)
      expect(codeOf(each)).to.deep.be.oneOf([
        [400, 'expired_token'],
        [400, 'authorization_pending'],
        [429, 'slow_down'],
      ])
    expect(handed?.body.token).to.include(item.id)
    const { items } = (await api.ask('GET', '/api/v1/tokens', { cookie })).body
    expect(items.filter(({ id }: { id: string }) => id === item.id)).to.have.length(1)
  })

  it('answers on the dashboard routes with texts and without error codes, and may not be cached', async () => {
    const { userCode, deviceCode } = (await api.ask('POST', '/api/auth/device', { form: { clientName: 'laptop' } }))
      .body
    const pollDashboard = () => api.ask('POST', '/api/auth/token', { form: { deviceCode } })
    const answers = [
      await pollDashboard(),
      await pollDashboard(),
      await api.ask('POST', '/api/auth/token', { form: { deviceCode: 'f'.repeat(64) } }),
    ]
    expect(answers.map(({ status, body }) => [status, body])).to.deep.equal([
      [400, { error: 'the sign-in request is waiting for approval' }],
      [429, { error: 'polling too fast; wait 10 seconds between polls' }],
      [400, { error: 'the sign-in request is unknown or has expired; start again' }],
    ])
    expect((await api.ask('GET', `/api/auth/device/${userCode}`, { cookie })).body).to.include({
      clientName: 'laptop',
      status: 'pending',
    })
    const approved = await api.ask('POST', '/api/auth/device/approve', {
      cookie,
      form: { userCode, role: 'admin', expiresInDays: '0' },
    })
    expect(approved.body.item).to.include({ role: 'admin', expiresAt: null })
    now += 10_000
    const handed = await pollDashboard()
    expect(handed.body).to.include({ tokenType: 'Bearer', role: 'admin', approvedBy: 'admin', expiresAt: null })
    for (const { headers } of [...answers, handed]) expect(headers.get('cache-control')).to.equal('no-store')
  })

  it('keeps a hundred at once and no more, until some are over', async function () {
    this.timeout(30_000)
    for (let n = 0; n < 100; n += 1) await api.needs.signIn.devices.start('crowd', `203.0.113.${n}`)
    const refused = await api.ask('POST', '/api/v1/auth/device', { json: {} })
    expect([refused.status, refused.body]).to.deep.equal([
      429,
      { error: 'too many sign-in requests, try again in a minute', code: 'rate_limited' },
    ])
    expect(refused.headers.get('retry-after'), 'when the first is over').to.equal('600')
    now += 600_000
    expect((await api.ask('POST', '/api/v1/auth/device', { json: {} })).status).to.equal(200)
  })

  it('keeps twenty at once for one address, and goes on for others', async function () {
    this.timeout(30_000)
    const begin = (address: string) => api.needs.signIn.devices.start('crowd', address)
    for (let n = 0; n < 20; n += 1) await begin(`2001:db8::${n + 1}`)
    const refused = await begin('2001:db8::ffff').catch((error: unknown) => error)
    expect(refused).to.include({ code: 'rate_limited' })
    expect((await begin('2001:db8:0:1::1')).deviceCode).to.match(/^[0-9a-f]{64}$/)
    now += 600_000
    expect((await begin('2001:db8::ffff')).deviceCode).to.match(/^[0-9a-f]{64}$/)
  })

  it('revokes an approved token that was never fetched, and keeps one that was', async () => {
    const [left, taken] = [await start('left'), await start('taken')]
    const ids = [
      (await approve({ userCode: left.userCode })).body.item.id,
      (await approve({ userCode: taken.userCode })).body.item.id,
    ]
    const { token } = (await pollOut(taken.deviceCode, api)).body
    now += 1_300_000
    await start()
    const { items } = (await api.ask('GET', '/api/v1/tokens', { cookie: await api.signIn('admin') })).body
    expect(items.map(({ id }: { id: string }) => id))
      .to.include(ids[1])
      .and.not.include(ids[0])
    expect((await api.ask('GET', '/api/v1/me', { token })).status).to.equal(200)
  })

  it('hands out the token even when the request cannot be taken off the list', async () => {
    const real = api.needs.client
    let cut = false
    const breaking = {
      ...real,
      replace: async (...args: Parameters<typeof real.replace>) => {
        if (cut && args[1].metadata.name === 'svc-device-sign-ins') throw new ClusterError(500, 'InternalError', 'no')
        return real.replace(...args)
      },
    }
    const broken = await startTestApi({ client: breaking as typeof real, clock: () => now })
    const { deviceCode, userCode } = await start()
    await approve({ userCode })
    cut = true
    const { body } = await pollOut(deviceCode, broken)
    expect((await api.ask('GET', '/api/v1/me', { token: body.token })).status).to.equal(200)
    expect(codeOf(await poll(deviceCode))).to.deep.equal([400, 'expired_token'])
    await broken.stop()
  })

  it('takes a name of sixty characters, and calls a nameless one by its label', async () => {
    const { userCode } = await start('n'.repeat(60))
    expect((await approve({ userCode })).body.item.name).to.equal(`CLI: ${'n'.repeat(60)}`)
    expect((await approve({ userCode: (await start('')).userCode })).body.item.name).to.equal('CLI')
    expect((await api.ask('POST', '/api/v1/auth/device', { json: { clientName: 'n'.repeat(61) } })).status).to.equal(
      400,
    )
  })

  it('shows the approver what became of it', async () => {
    const [yes, no] = [await start(), await start()]
    await approve({ userCode: yes.userCode })
    await approve({ userCode: no.userCode, deny: true })
    const statusOf = async (code: string) =>
      (await api.ask('GET', `/api/v1/auth/device/${code}`, { cookie })).body.status
    expect([await statusOf(yes.userCode), await statusOf(no.userCode)]).to.deep.equal(['approved', 'denied'])
  })

  it('keeps pending sign-ins over a restart of the api', async () => {
    const { deviceCode, userCode } = await start()
    await api.stop()
    api = await startTestApi({ clock: () => now })
    await approve({ userCode })
    expect((await poll(deviceCode)).status).to.equal(200)
  })

  it("gives an observer's token 30 days by default", async () => {
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
    for (const unknown of ['f'.repeat(64), 'f'.repeat(1001)])
      expect(codeOf(await poll(unknown))).to.deep.equal([400, 'expired_token'])
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
      expect(answer.headers.get('retry-after')).to.equal(String(wait))
    }
    now += 30_000
    expect(codeOf(await poll(deviceCode))).to.deep.equal([400, 'authorization_pending'])
  })

  it('begins ten times a minute for one address, whatever address it claims to come from', async () => {
    for (let n = 0; n < 10; n += 1) {
      const answer = await api.ask('POST', '/api/auth/device', {
        form: {},
        headers: { 'x-forwarded-for': `203.0.113.${n}` },
      })
      expect(answer.status).to.equal(200)
    }
    const refused = await api.ask('POST', '/api/v1/auth/device', { json: {} })
    expect([refused.status, refused.body]).to.deep.equal([
      429,
      { error: 'too many sign-in requests, try again in a minute', code: 'rate_limited' },
    ])
    expect(Number(refused.headers.get('retry-after')), 'the rest of the minute').to.be.within(1, 60)
  })

  it('needs no credentials and ignores an invalid token', async () => {
    const answer = await api.ask('POST', '/api/v1/auth/device', { json: {}, token: 'svw_stale' })
    expect(answer.status).to.equal(200)
  })
})
