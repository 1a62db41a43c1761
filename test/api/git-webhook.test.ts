/** Plain webhooks of git servers: signed pushes are worked off durably, all others cost little and do nothing. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { GitPushInput } from '../../kinds/apps/git/git-delivery.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { eventually } from '../cluster/eventually.ts'
import { deliveryHeaders, type GitServer, pushBody, pushedCommit } from '../harness/git-deliveries.ts'
import { useStack } from '../harness/stack.ts'
import { type Answer, startTestApi, type TestApi } from './test-api.ts'

const unsigned = [401, 'the signature of the delivery is not valid']

describe('the plain webhook of a git server', function () {
  this.timeout(60_000)
  let api: TestApi
  let client: ClusterClient
  let token: string
  let project: string
  let app: string
  let secret: string
  const state = { isAway: false, clock: Date.now() }
  const taken: GitPushInput[] = []

  before(async () => {
    ;({ client } = await useStack())
    api = await startTestApi({
      clock: () => state.clock,
      pushes: {
        start: async () => undefined,
        startGit: async (input) => {
          if (state.isAway) throw new Error('connect ECONNREFUSED')
          taken.push(input)
        },
        wakePullRequest: async () => undefined,
      },
    })
    token = await api.token({ role: 'admin' })
    project = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
    app = await create({ source: 'git', repository: 'https://git.example.test/team/web.git' })
    secret = (await rotate()).body.secret
    state.clock += 11_000
  })
  after(async () => {
    await api.stop()
    await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: `${app}-git-webhook` })
  })
  beforeEach(() => {
    taken.length = 0
    state.isAway = false
    state.clock += 61_000
  })

  const create = async (fields: object): Promise<string> => {
    const json = { project, environment: 'production', ...fields }
    const { body, text, status } = await api.ask('POST', '/api/v1/apps', { token, json })
    expect(status, text).to.equal(200)
    await eventually('the api knows it', () => api.needs.caches.apps.get(body.name, systemNamespace) !== undefined)
    return body.name
  }
  const rotate = (name = app): Promise<Answer> =>
    api.ask('POST', `/api/apps/${name}/git-webhook/rotate`, { token, form: {} })
  const read = (query = '', name = app): Promise<Answer> =>
    api.ask('GET', `/api/apps/${name}/git-webhook${query}`, { token })
  interface Sent {
    body?: string
    delivery?: string
    key?: string
    to?: string
    headers?: Record<string, string>
  }
  const deliver = (server: GitServer, sent: Sent = {}): Promise<Answer> => {
    const { body = JSON.stringify(pushBody(server)), delivery, key = secret, to = app, headers = {} } = sent
    const signed = deliveryHeaders(server, { body, secret: key, ...(delivery === undefined ? {} : { delivery }) })
    return api.ask('POST', `/webhooks/git/${to}`, {
      raw: { body, type: 'application/json' },
      headers: { ...signed, ...headers },
    })
  }
  const uid = (): string => api.needs.caches.apps.get(app, systemNamespace)?.metadata.uid ?? ''

  for (const server of ['gitea', 'gitlab'] as const) {
    it(`takes a push of ${server} in under the ID of its delivery, by what the body says of branch and files`, async () => {
      const delivery = randomUUID()
      const answer = await deliver(server, { delivery })
      expect([answer.status, answer.body]).to.deep.equal([202, { ok: true, outcome: 'started' }])
      expect(taken).to.have.length(1)
      const [{ push, ...rest }] = taken as [GitPushInput]
      expect(rest).to.deep.equal({ delivery, app, uid: uid() })
      expect(push).to.deep.include({ branch: 'main', isDefaultBranch: true, commit: pushedCommit })
      expect(push.changed).to.include('web/fr.ts')
      expect(JSON.stringify(taken), 'no secret enters the history').not.to.include(secret)
    })

    it(`ignores other events, tags and deleted branches of ${server}`, async () => {
      const event = server === 'gitea' ? { 'x-gitea-event': 'issues' } : { 'x-gitlab-event': 'Tag Push Hook' }
      const bodies: Sent[] = [
        { headers: event },
        { body: JSON.stringify(pushBody(server, { ref: 'refs/tags/v1' })) },
        { body: JSON.stringify(pushBody(server, { after: '0'.repeat(40) })) },
        { body: '{}' },
      ]
      for (const sent of bodies)
        expect((await deliver(server, sent)).body).to.deep.equal({ ok: true, outcome: 'ignored' })
      expect(taken).to.deep.equal([])
    })

    it(`refuses a delivery of ${server} with another secret, for another service, without ID or too large`, async () => {
      const other = await create({ source: 'git', repository: 'https://git.example.test/team/other.git' })
      const foreign = (await rotate(other)).body.secret as string
      const refused: Sent[] = [{ key: 'guess' }, { key: '' }, { key: foreign }, { to: other }, { to: 'no-such-app' }]
      for (const sent of refused) {
        const { status, body } = await deliver(server, sent)
        expect([status, body.error], JSON.stringify(sent)).to.deep.equal(unsigned)
      }
      expect((await deliver(server, { body: '{' })).body.error).to.equal('the delivery must be JSON')
      expect((await deliver(server, { delivery: 'a b' })).body.error).to.equal('the delivery has no ID')
      const large = JSON.stringify(pushBody(server, { padding: 'x'.repeat(2 * 1024 * 1024) }))
      expect((await deliver(server, { body: large })).status).to.equal(413)
      expect(taken).to.deep.equal([])
      await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: `${other}-git-webhook` })
    })
  }

  it('refuses a body that was changed under its signature, and a delivery of a server that it does not know', async () => {
    const signed = deliveryHeaders('gitea', { body: '{}', secret })
    expect((await deliver('gitea', { headers: signed })).status).to.equal(401)
    const unknown = await api.ask('POST', `/webhooks/git/${app}`, {
      raw: { body: '{}', type: 'application/json' },
      headers: { 'x-hub-signature-256': 'sha256=00' },
    })
    expect([unknown.status, unknown.body.error]).to.deep.equal(unsigned)
  })

  it('takes the key of GitLab that stays the same when a delivery is repeated', async () => {
    await deliver('gitlab', { headers: { 'idempotency-key': 'stays-the-same' } })
    expect(taken.map(({ delivery }) => delivery)).to.deep.equal(['stays-the-same'])
  })

  it('says so when the work cannot be made durable, and takes the delivery when it is sent again', async () => {
    state.isAway = true
    const delivery = randomUUID()
    const failed = await deliver('gitea', { delivery })
    expect([failed.status, failed.body.error]).to.deep.equal([500, 'the push could not be taken in; send it again'])
    state.isAway = false
    expect((await deliver('gitea', { delivery })).status).to.equal(202)
    expect(taken).to.have.length(1)
  })

  it('GET /api/apps/{app}/git-webhook: shows the address, and the secret only when asked, which is logged', async () => {
    const plain = await read()
    expect(plain.body).to.deep.equal({ url: `${api.baseUrl}/webhooks/git/${app}`, configured: true })
    const logged = () => api.logLines().filter(({ result }) => result === 'revealed').length
    const before = logged()
    expect((await read('?reveal=true')).body).to.deep.include({ secret, revealed: true })
    expect(logged()).to.equal(before + 1)
    expect(JSON.stringify(api.logLines())).not.to.include(secret)
    const without = await create({ source: 'git', repository: 'https://git.example.test/team/new.git' })
    expect((await read('?reveal=true', without)).body).to.deep.equal({
      url: `${api.baseUrl}/webhooks/git/${without}`,
      configured: false,
    })
    expect((await deliver('gitlab', { to: without, key: '' })).status, 'none is no empty one').to.equal(401)
  })

  it('POST /api/apps/{app}/git-webhook/rotate: only the new secret counts once the old one has expired', async () => {
    const old = secret
    const { status, body } = await rotate()
    secret = body.secret
    expect([status, body.url, secret.length]).to.deep.equal([200, `${api.baseUrl}/webhooks/git/${app}`, 64])
    expect(secret).not.to.equal(old)
    state.clock += 11_000
    expect((await deliver('gitlab', { key: old })).status).to.equal(401)
    expect((await deliver('gitlab')).status).to.equal(202)
    const image = await create({ image: 'svc/hello:1' })
    expect((await rotate(image)).body.error).to.equal('only a service that is built from git has a git webhook')
  })

  it('refuses an address after sixty refused deliveries in a minute, and counts none that is signed', async () => {
    const counted = await startTestApi()
    let retryAfter: string | null = null
    const send = async (key: string): Promise<number> => {
      const body = JSON.stringify(pushBody('gitlab'))
      const headers = deliveryHeaders('gitlab', { body, secret: key })
      const raw = { body, type: 'application/json' }
      const answer = await counted.ask('POST', `/webhooks/git/${app}`, { raw, headers })
      retryAfter = answer.headers.get('retry-after')
      return answer.status
    }
    await eventually('it knows the service', async () => (await send(secret)) === 202)
    for (let sent = 0; sent < 70; sent += 1) expect(await send(secret)).to.equal(202)
    const answers: number[] = []
    for (let sent = 0; sent < 70; sent += 1) answers.push(await send('guess'))
    expect([answers[0], answers.at(-1)]).to.deep.equal([401, 429])
    expect(await send(secret), 'nothing of that address is read any more').to.equal(429)
    expect(Number(retryAfter), 'the rest of the minute').to.be.within(1, 60)
    await counted.stop()
  })
})
