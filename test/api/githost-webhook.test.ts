/** Deliveries of the git host: signed ones are worked off durably, all others cost little and do nothing. */
import { createHmac, randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { type Build, buildSpec } from '../../kinds/builds/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { githubApp } from '../harness/github.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type Answer, type TestApi } from './test-api.ts'

const commit = 'b'.repeat(40)
const pushOf = (more: object = {}): string =>
  JSON.stringify({
    ref: 'refs/heads/main',
    after: commit,
    repository: { full_name: 'acme/shop', default_branch: 'main' },
    installation: { id: 71 },
    commits: [{ added: ['a.ts'], modified: [], removed: [] }],
    ...more,
  })

describe('POST /webhooks/githost', function () {
  this.timeout(60_000)
  let api: TestApi
  let client: ClusterClient
  const state = { isAway: false, clock: Date.now() }

  before(async () => {
    ;({ client } = await useStack())
    api = await startTestApi({
      clock: () => state.clock,
      pushes: {
        start: async (input) => {
          if (state.isAway) throw new Error('connect ECONNREFUSED')
          taken.push(input)
        },
        startGit: async () => undefined,
        wakePullRequest: async (ref) => {
          if (state.isAway) throw new Error('connect ECONNREFUSED')
          taken.push(ref)
        },
      },
    })
    const token = await api.token({ role: 'admin' })
    expect((await deliver(pushOf())).status).to.equal(400)
    await api.ask('POST', '/api/settings/githost/save', { token, form: githubApp })
    state.clock += 11_000
  })
  after(async () => {
    await api.stop()
    await client.delete({ type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' })
    await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: 'platform-githost' })
  })
  beforeEach(() => {
    taken.length = 0
    state.isAway = false
  })
  const taken: object[] = []

  const signed = (body: string, key: string = githubApp.webhookSecret): string =>
    `sha256=${createHmac('sha256', key).update(body).digest('hex')}`
  const deliver = (body: string, headers: Record<string, string> = {}): Promise<Answer> =>
    api.ask('POST', '/webhooks/githost', {
      raw: { body, type: 'application/json' },
      headers: {
        'x-github-event': 'push',
        'x-github-delivery': randomUUID(),
        'x-hub-signature-256': signed(body),
        ...headers,
      },
    })

  it('takes a signed push in under the ID of its delivery', async () => {
    const answer = await deliver(pushOf(), { 'x-github-delivery': 'delivery-1' })
    expect([answer.status, answer.body]).to.deep.equal([202, { ok: true, outcome: 'started' }])
    expect(taken).to.deep.equal([
      {
        delivery: 'delivery-1',
        push: {
          repository: 'acme/shop',
          branch: 'main',
          isDefaultBranch: true,
          commit,
          installation: 71,
          changed: ['a.ts'],
        },
      },
    ])
  })

  it('ignores other events, tags and deleted branches', async () => {
    for (const [body, event] of [
      [pushOf(), 'ping'],
      [pushOf({ ref: 'refs/tags/v1' }), 'push'],
      [pushOf({ deleted: true }), 'push'],
    ] as const)
      expect((await deliver(body, { 'x-github-event': event })).body).to.deep.equal({ ok: true, outcome: 'ignored' })
    expect(taken).to.deep.equal([])
  })

  it('wakes the builds that wait for the checks of the commit that an event is about, and no others', async () => {
    const make = async (name: string, phase: string, sourceRevision: string): Promise<void> => {
      const place = { project: 'proj-00000001', environment: 'production', repository: 'acme/shop' }
      const spec = buildSpec.parse({ app: 'shop', ...place, waitForCI: true })
      const metadata = { name, namespace: systemNamespace }
      await client.create<Build>(resourceTypes.build, { apiVersion, kind: 'SvcBuild', metadata, spec })
      const status = { status: { phase, sourceRevision } }
      await client.patch({ type: resourceTypes.build, ...metadata }, status, { subresource: 'status' })
    }
    const id = randomUUID().slice(0, 8)
    const names = [`waits-${id}`, `runs-${id}`, `other-${id}`] as const
    await make(names[0], 'WaitingForCI', commit)
    await make(names[1], 'Running', commit)
    await make(names[2], 'WaitingForCI', 'c'.repeat(40))
    const isSeen = (name: string) => api.needs.caches.builds.get(name, systemNamespace)?.status?.phase !== undefined
    await eventually('the builds are seen', () => names.every(isSeen))
    const deliveries: [event: string, body: object, outcome: string][] = [
      ['check_run', { action: 'completed', check_run: { head_sha: commit } }, 'woken'],
      ['check_suite', { action: 'completed', check_suite: { head_sha: commit } }, 'woken'],
      ['status', { sha: commit, context: 'ci/build', state: 'success' }, 'woken'],
      ['status', { sha: commit, context: 'svc/shop', state: 'pending' }, 'ignored'],
      ['check_run', { check_run: { head_sha: 'd'.repeat(40) } }, 'ignored'],
      ['check_run', {}, 'ignored'],
    ]
    for (const [event, body, outcome] of deliveries)
      expect((await deliver(JSON.stringify(body), { 'x-github-event': event })).body, event).to.deep.equal({
        ok: true,
        outcome,
      })
    const woken = api.woken.filter((line) => names.some((name) => line.includes(name)))
    expect(woken).to.deep.equal(Array.from({ length: 3 }, () => `build/${names[0]}: a check of its commit changed`))
    for (const name of names) await client.delete({ type: resourceTypes.build, namespace: systemNamespace, name })
  })

  it('has each project look that a pull request may be for, and answers when that is durable', async () => {
    const { body: made } = await api.ask('POST', '/api/v1/projects', {
      token: await api.token({ role: 'admin' }),
      json: {},
    })
    const name: string = made.project
    const ref = { type: resourceTypes.project, namespace: systemNamespace, name }
    const gitHosts = [{ environment: 'production', installation: 72 }]
    const pullRequestEnvironments = { enabled: true }
    await client.patch(ref, { spec: { gitHosts, pullRequestEnvironments } })
    const about = (installation: number) =>
      JSON.stringify({ number: 7, repository: { full_name: 'Acme/Shop' }, installation: { id: installation } })
    const event = { 'x-github-event': 'pull_request' }
    await eventually(
      'the api knows it',
      async () => (await deliver(about(72), event)).body.outcome === 'started',
      10_000,
    )
    expect(taken[0]).to.deep.equal({ project: name, repository: 'acme/shop', number: 7 })
    for (const body of [about(73), JSON.stringify({ number: 7 })])
      expect((await deliver(body, event)).body).to.deep.equal({ ok: true, outcome: 'ignored' })
    state.isAway = true
    expect((await deliver(about(72), event)).status).to.equal(500)
    await client.delete(ref)
  })

  it('refuses a signature that is missing, of another key or of another body, and bodies that are too large', async () => {
    const wrong = [
      '',
      'sha256=',
      signed(pushOf(), 'guess'),
      signed(pushOf({ after: 'c'.repeat(40) })),
      signed(pushOf()).replace('sha256', 'sha1'),
    ]
    for (const signature of wrong) {
      const answer = await deliver(pushOf(), { 'x-hub-signature-256': signature })
      expect([signature, answer.status, answer.body.error]).to.deep.equal([
        signature,
        401,
        'the signature of the delivery is not valid',
      ])
    }
    expect((await deliver(pushOf({ padding: 'x'.repeat(2 * 1024 * 1024) }))).status).to.equal(413)
    expect((await deliver('{')).body.error).to.equal('the delivery must be JSON')
    expect((await deliver(pushOf(), { 'x-github-delivery': '' })).body.error).to.equal('the delivery has no ID')
    expect(taken).to.deep.equal([])
  })

  it('says so when the work cannot be made durable, and takes the delivery when it is sent again', async () => {
    state.isAway = true
    const body = pushOf()
    const headers = { 'x-github-delivery': 'delivery-2' }
    expect((await deliver(body, headers)).status).to.equal(500)
    state.isAway = false
    expect((await deliver(body, headers)).status).to.equal(202)
    expect(taken).to.have.length(1)
  })

  it('reads the Secret of the app at most once in ten seconds, however many deliveries arrive', async () => {
    let reads = 0
    const get = client.get.bind(client)
    const counting: ClusterClient = {
      ...client,
      get: async (ref) => {
        if (ref.name === 'platform-githost') reads += 1
        return get(ref)
      },
    }
    const other = await startTestApi({ client: counting })
    const before = reads
    for (let sent = 0; sent < 20; sent += 1)
      await other.ask('POST', '/webhooks/githost', {
        raw: { body: '{}', type: 'application/json' },
        headers: { 'x-hub-signature-256': 'sha256=00' },
      })
    expect(reads - before).to.equal(1)
    await other.stop()
  })
})
