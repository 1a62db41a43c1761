/** Callers without credentials, however many, cause little work in the api and do not slow other callers down. */
import { randomBytes } from 'node:crypto'
import { EventEmitter, on } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { requestBodyBytes, unknownTokens } from '../../contract/limits.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { tokenSecret } from '../../records/tokens/token-secret.ts'
import { digestOf, formatToken, mintSecret } from '../../records/tokens/token-text.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { rawRequest } from '../property/raw-request.ts'
import { startTestApi, testUsers, type TestApi } from './test-api.ts'

const tooMany = { error: 'too many sign-in requests, try again in a minute' }

/** A watch that yields no event until it is ended. */
async function* silence(signal: AbortSignal | undefined): AsyncGenerator<never> {
  // The emitter never emits.
  yield* on(new EventEmitter(), 'event', signal === undefined ? {} : { signal }) as AsyncIterable<never>
}

const letters = (count: number): string => randomBytes(count).toString('hex').slice(0, count)
const madeUp = (id = letters(12)): string => formatToken({ scope: 'workspace', id, secret: mintSecret() })

describe('made-up API tokens', () => {
  let api: TestApi
  /** A replica whose watches have delivered nothing since its start. */
  let deaf: TestApi
  let reads: string[]

  before(async function () {
    this.timeout(60_000)
    const { client } = await useStack()
    api = await startTestApi()
    deaf = await startTestApi({ client: counting({ ...client, watch: async (_, { signal }) => silence(signal) }) })
  })
  beforeEach(() => {
    reads = []
  })
  after(() => Promise.all([api.stop(), deaf.stop()]))

  const me = (token: string) => deaf.ask('GET', '/api/v1/me', { token })
  const counting = (client: ClusterClient): ClusterClient => ({
    ...client,
    get: async (ref, options) => {
      if (ref.name.startsWith('svc-token-')) reads.push(ref.name)
      return client.get(ref, options)
    },
  })

  it('are limited in the reads they cause, while a valid token of another replica works at once', async () => {
    const token = await api.token({ name: 'fresh', role: 'viewer' })
    const answers = await Promise.all(Array.from({ length: 200 }, () => me(madeUp())))
    for (const { status, body } of answers)
      expect(status === 401 || (status === 429 && body.error === tooMany.error), `${status}`).to.equal(true)
    expect(answers.filter(({ status }) => status === 429)).not.to.deep.equal([])
    expect(reads.length).to.be.lessThan(unknownTokens.unprovenPerAddressAndMinute + 1)
    expect((await me(token)).body).to.include({ username: 'fresh', role: 'viewer' })
    expect((await me(madeUp())).body).to.deep.equal({ ...tooMany, code: 'rate_limited' })
  })

  it('are cached: a revoked token causes one read, however often it is sent', async () => {
    const token = await api.token({ name: 'gone', role: 'viewer' })
    const id = token.split('_')[1] ?? ''
    expect((await api.ask('DELETE', `/api/v1/tokens/${id}`, { cookie: await api.signIn('admin') })).status).to.equal(
      200,
    )
    for (let n = 0; n < 10; n += 1) expect((await me(token)).status).to.equal(401)
    expect(reads).to.deep.equal([`svc-token-${id}`])
  })

  it('are distinguished from tokens of an earlier version, whose ids have no checksum', async () => {
    const { client } = await useStack()
    const secret = mintSecret()
    const record = {
      id: `old${letters(9)}`,
      name: 'old',
      scope: 'workspace',
      project: '',
      environment: '',
      role: 'viewer',
      createdBy: 'admin',
      createdAt: new Date().toISOString(),
      expiresAt: null,
    } as const
    // This replica starts before the token is made, with no failed attempts counted.
    const fresh = await startTestApi({
      client: counting({ ...client, watch: async (_, { signal }) => silence(signal) }),
    })
    const made = await client.create(coreTypes.secret, tokenSecret(record, digestOf(secret)))
    const token = formatToken({ scope: 'workspace', id: record.id, secret })
    reads = []
    expect((await fresh.ask('GET', '/api/v1/me', { token })).body).to.include({ username: 'old' })
    expect(reads).to.have.length(1)
    await fresh.stop()
    await eventually(
      'a replica whose watch works takes it',
      async () => (await api.ask('GET', '/api/v1/me', { token })).status === 200,
    )
    await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: made.metadata.name })
  })
})

describe('wrong passwords', () => {
  let api: TestApi

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi({ env: { SVC_TRUSTED_PROXIES: '127.0.0.1' } })
  })
  after(() => api.stop())

  const login = (username: string, password: string, from: string) =>
    api.ask('POST', '/api/login', { form: { username, password }, headers: { 'x-forwarded-for': from } })

  it('are tried twenty times a minute from one address, whatever the names, and from its whole /64', async () => {
    for (let n = 0; n < 20; n += 1)
      expect((await login(`name-${n}`, 'wrong', `2001:db8::${n + 1}`)).status, String(n)).to.equal(400)
    const refused = await login('admin', testUsers.admin.password, '2001:db8::abcd')
    expect([refused.status, refused.body]).to.deep.equal([429, tooMany])
    expect((await login('admin', testUsers.admin.password, '2001:db8:0:1::1')).status).to.equal(200)
  }).timeout(30_000)

  it('are checked a few at once; further ones get 429, and signed-in callers are answered meanwhile', async () => {
    const token = await api.token({ role: 'viewer' })
    const storm = Promise.all(Array.from({ length: 60 }, (_, n) => login(letters(8), 'wrong', `203.0.113.${n}`)))
    const read = await api.ask('GET', '/api/v1/openapi.json', { token, headers: { 'accept-encoding': 'gzip' } })
    expect([read.status, read.headers.get('content-encoding')]).to.deep.equal([200, 'gzip'])
    const answers = await storm
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.error as string}`))).to.deep.equal(
      new Set(['400 invalid username or password', `429 ${tooMany.error}`]),
    )
    expect((await login('admin', testUsers.admin.password, '198.51.100.1')).status, 'afterwards').to.equal(200)
  }).timeout(60_000)
})

describe('bodies of callers without credentials', () => {
  let api: TestApi
  const open: Socket[] = []

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi()
  })
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy()
  })
  after(() => api.stop())

  const head = (path: string, length: number): string =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

  it('are not waited for where credentials are needed', async () => {
    for (const path of ['/api/v1/projects', '/api/projects/create', '/api/v1/nothing']) {
      // No byte of the body is ever sent.
      const { status } = await rawRequest(api.port, head(path, 1_000_000))
      expect(status, path).to.equal(path.endsWith('nothing') ? 404 : 401)
    }
  })

  it('that are large are read by a few at once, and small ones always', async () => {
    for (let n = 0; n < 8; n += 1) {
      open.push(
        connect(api.port, '127.0.0.1', function (this: Socket) {
          this.write(head('/api/v1/auth/device', requestBodyBytes))
        }),
      )
    }
    const large = () =>
      api.ask('POST', '/api/v1/auth/device', {
        raw: { body: '{}'.padEnd(requestBodyBytes, ' '), type: 'application/json' },
      })
    await eventually('the ninth is refused', async () => (await large()).status === 429)
    expect((await api.ask('POST', '/api/v1/auth/device', { json: {} })).status).to.equal(200)
    for (const socket of open.splice(0)) socket.destroy()
    await eventually('there is capacity again', async () => (await large()).status === 200)
  }).timeout(30_000)
})
