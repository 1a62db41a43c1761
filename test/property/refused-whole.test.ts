/** Requests that are refused late, after part of the work: no part of it stays. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { startTestApi, type Answer, type TestApi } from '../api/test-api.ts'
import { useStack } from '../harness/stack.ts'
import { differences, keptNow, removeSince, type Kept } from './kept.ts'

describe('what is refused', () => {
  let api: TestApi
  let client: ClusterClient
  let atFirst: Kept
  let token: string
  let project: string
  let app: string

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    api = await startTestApi()
    atFirst = await keptNow(client)
    token = await api.token({ role: 'admin' })
    project = (await post('/projects', {})).body.project
    app = (
      await post('/apps', {
        project,
        environment: 'production',
        image: 'nginx:1',
        name: 'kept-whole',
        host: 'whole.example.com',
      })
    ).body.name
    expect((await post(`/apps/${app}/secrets/set`, { key: 'A', value: 'a' })).status).to.equal(200)
  })
  after(async () => {
    await api.stop()
    await removeSince(client, atFirst)
  })

  const post = (path: string, json: object, headers: Record<string, string> = {}) =>
    api.ask('POST', `/api/v1${path}`, { token, json, headers })
  const stale = { 'If-Match': '"1"' }
  const changed = 'the resource was changed by another writer; read it again and retry'
  const create = (fields: object) =>
    post('/apps', { project, environment: 'production', image: 'nginx:1', deploy: true, ...fields })

  const rows: [title: string, ask: () => Promise<Answer>, sentence: string | RegExp][] = [
    [
      'a secret variable of 600 KiB',
      () => post(`/apps/${app}/secrets/set`, { key: 'B', value: 'x'.repeat(600_000) }),
      'the secret variables of a service together must be at most 512 KiB',
    ],
    [
      'a shared secret of 1.5 MiB',
      () => post(`/projects/${project}/variables/save`, { name: 'B', value: 'x'.repeat(1_500_000), secret: true }),
      'the secret variables of a project together must be at most 512 KiB',
    ],
    [
      'a shared variable of 100 KiB',
      () => post(`/projects/${project}/variables/save`, { name: 'B', value: 'x'.repeat(100_000) }),
      /at most 96 KiB/,
    ],
    [
      'a shared secret of a project read before',
      () => post(`/projects/${project}/variables/save`, { name: 'B', value: 'x', secret: true }, stale),
      changed,
    ],
    [
      'a shared secret of an environment that is not there',
      () => post(`/projects/${project}/variables/save`, { name: 'B', value: 'x', secret: true, environment: 'none' }),
      'the project has no environment none',
    ],
    ['a deploy of a service read before', () => post(`/apps/${app}/deploy`, {}, stale), changed],
    [
      'settings of a service read before',
      () => api.ask('PATCH', `/api/v1/apps/${app}`, { token, json: { port: 9, deploy: true }, headers: stale }),
      changed,
    ],
    ['a service on a taken host', () => create({ host: 'whole.example.com' }), 'this host is used by another service'],
    ['a service of a taken name', () => create({ name: 'kept-whole' }), 'the name kept-whole is already used'],
    ['a service that is too large', () => create({ cpu: '9000' }), /^the cluster has no capacity/],
    [
      'settings with a deploy that is too large',
      () => api.ask('PATCH', `/api/v1/apps/${app}`, { token, json: { cpu: '9000', port: 9, deploy: true } }),
      /^the cluster has no capacity/,
    ],
    [
      'a variable of 70 KiB',
      () => post(`/apps/${app}/config/set`, { key: 'BIG', value: 'x'.repeat(70_000) }),
      'BIG may not be more than 65536 bytes',
    ],
    [
      'a variable name of 300 letters',
      () => post(`/apps/${app}/config/raw`, { config: `${'A'.repeat(300)}=1` }),
      'variable name must use uppercase letters, numbers, and underscores',
    ],
    [
      '600 names of shared variables',
      () =>
        post(`/apps/${app}/shared-variables/save`, {
          sharedVariable: Array.from({ length: 600 }, (_, index) => `A${index}`),
        }),
      'sharedVariableRefs must have at most 500 items',
    ],
    [
      '150 environments',
      () =>
        api.ask('PATCH', `/api/v1/projects/${project}`, {
          token,
          json: { environments: ['production', ...Array.from({ length: 150 }, (_, index) => `e${index}`)] },
        }),
      'environments must have at most 100 items',
    ],
    [
      'variables of 100 KiB',
      () =>
        post(`/apps/${app}/config/raw`, {
          config: Array.from({ length: 20 }, (_, index) => `A${index}=${'x'.repeat(5000)}`).join('\n'),
        }),
      /at most 96 KiB/,
    ],
  ]
  for (const [title, ask, sentence] of rows) {
    it(`leaves nothing behind: ${title}`, async () => {
      const kept = await keptNow(client)
      const { status, body, text } = await ask()
      expect([status, body?.code], text).to.deep.equal([400, 'invalid_request'])
      if (typeof sentence === 'string') expect(body.error).to.equal(sentence)
      else expect(body.error).to.match(sentence)
      expect(differences(kept, await keptNow(client))).to.deep.equal([])
    })
  }

  it('a release of the largest secrets there can be is deployed', async () => {
    expect(
      (await post(`/projects/${project}/variables/save`, { name: 'SHARED', value: 's'.repeat(380_000), secret: true }))
        .status,
    ).to.equal(200)
    expect((await post(`/apps/${app}/secrets/set`, { key: 'OWN', value: 'o'.repeat(380_000) })).status).to.equal(200)
    const { status, text } = await post(`/apps/${app}/deploy`, {})
    expect(status, text).to.equal(200)
  })
})
