/** Two api processes on one cluster: the cache of each has the writes of the other within a second. */
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { jsonOf, withValues, type AuthSecret } from '../../records/secrets/auth-secret.ts'
import { startTestApi, testUsers, type Answer, type TestApi } from '../api/test-api.ts'
import { useStack } from '../harness/stack.ts'
import { keptNow, removeSince, type Kept } from './kept.ts'

const waitMs = 1000

describe('two api processes', () => {
  let one: TestApi
  let two: TestApi
  let client: ClusterClient
  let atFirst: Kept
  let token: string
  let project: string

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    ;[one, two] = await Promise.all([startTestApi(), startTestApi()])
    atFirst = await keptNow(client)
    token = await one.token({ role: 'admin' })
    project = (await one.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
  })
  after(async () => {
    await Promise.all([one.stop(), two.stop()])
    await removeSince(client, atFirst)
  })

  const make = async (fields: object, at = one) => {
    const answer = await at.ask('POST', '/api/v1/apps', {
      token,
      json: { project, environment: 'production', image: 'nginx:1', ...fields },
    })
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.name as string
  }

  /**
   * Asks until the answer is as wanted, for at most a second; on a busy machine longer by the time that the answers
   * take.
   */
  async function within(ask: () => Promise<Answer>, wanted: (answer: Answer) => boolean): Promise<void> {
    const startedAt = performance.now()
    let answer = await ask()
    const limitMs = waitMs + 20 * (performance.now() - startedAt)
    while (!wanted(answer) && performance.now() - startedAt < limitMs) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      answer = await ask()
    }
    expect(wanted(answer), `${answer.status} ${answer.text}`).to.equal(true)
  }

  it('a token revoked through one is refused by the other', async () => {
    const doomed = await one.token({ role: 'viewer' })
    const me = () => two.ask('GET', '/api/v1/me', { token: doomed })
    expect((await me()).status).to.equal(200)
    const cookie = await one.signIn('admin')
    const { items } = (await one.ask('GET', '/api/v1/tokens', { cookie })).body
    const id = items.find((item: { id: string }) => doomed.includes(item.id)).id
    expect((await one.ask('DELETE', `/api/v1/tokens/${id}`, { cookie })).status).to.equal(200)
    await within(me, ({ status }) => status === 401)
    await within(
      () => two.ask('GET', '/api/v1/tokens', { cookie }),
      ({ body }) => !body.items.some((item: { id: string }) => item.id === id),
    )
  })

  it('a sign-out at one ends every session at the other', async () => {
    const [here, there] = [await one.signIn('viewer'), await two.signIn('viewer')]
    const session = (cookie: string) => two.ask('GET', '/api/session', { cookie })
    expect((await session(here)).body.authenticated).to.equal(true)
    expect((await one.ask('POST', '/api/logout', { cookie: here })).status).to.equal(200)
    for (const cookie of [here, there])
      await within(
        () => session(cookie),
        ({ body }) => body.authenticated === false,
      )
    expect((await two.ask('GET', '/api/v1/me', { cookie: there })).status).to.equal(401)
  })

  it('a role that was taken away is gone at both', async () => {
    const cookie = await one.signIn('viewer')
    const setRole = async (role: 'admin' | 'viewer'): Promise<void> => {
      const secret = await client.get<AuthSecret>({
        type: coreTypes.secret,
        namespace: systemNamespace,
        name: 'svc-dashboard-auth',
      })
      if (secret === undefined) throw new Error('no users')
      const users = (jsonOf(secret, 'users') as { username: string }[]).map((user) =>
        user.username === testUsers.viewer.username ? { ...user, role } : user,
      )
      await client.replace(coreTypes.secret, withValues(secret, { users: JSON.stringify(users) }))
    }
    const tokens = (api: TestApi) => () => api.ask('GET', '/api/v1/tokens', { cookie })
    try {
      await setRole('admin')
      for (const api of [one, two]) await within(tokens(api), ({ status }) => status === 200)
    } finally {
      await setRole('viewer')
    }
    for (const api of [one, two]) await within(tokens(api), ({ status }) => status === 403)
  })

  it('an edit of a draft through one is read through the other', async () => {
    const name = await make({})
    await two.ask('GET', `/api/v1/apps/${name}`, { token })
    await one.ask('PATCH', `/api/v1/apps/${name}`, { token, json: { port: 9001 } })
    await within(
      () => two.ask('GET', `/api/v1/apps/${name}`, { token }),
      ({ body }) => body.spec.port === 9001,
    )
    await within(
      () => two.ask('GET', `/api/v1/apps?project=${project}`, { token }),
      ({ body }) => body.items.some((item: { name: string }) => item.name === name),
    )
  })

  it('a service made through one is deployed, scaled, read and deleted at once through the other', async () => {
    for (const [verb, ask] of [
      ['deploy', (name: string) => two.ask('POST', `/api/v1/apps/${name}/deploy`, { token })],
      ['scale', (name: string) => two.ask('POST', `/api/v1/apps/${name}/scale`, { token, json: { replicas: 2 } })],
      [
        'set a secret',
        (name: string) =>
          two.ask('POST', `/api/v1/apps/${name}/secrets/set`, { token, json: { key: 'A', value: 'b' } }),
      ],
      ['read', (name: string) => two.ask('GET', `/api/v1/apps/${name}/status`, { token })],
      ['delete', (name: string) => two.ask('DELETE', `/api/v1/apps/${name}?confirmName=${name}`, { token })],
    ] as const) {
      const answer = await ask(await make({}))
      expect(answer.status, `${verb}: ${answer.text}`).to.equal(200)
    }
  })

  it('a project made through one takes a service, an environment and a token at once through the other', async () => {
    const fresh = (await one.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
    expect(
      (await two.ask('POST', '/api/v1/apps', { token, json: { project: fresh, environment: 'production' } })).status,
    ).to.equal(200)
    expect(
      (await two.ask('POST', `/api/v1/projects/${fresh}/environments`, { token, json: { environment: 'staging' } }))
        .status,
    ).to.equal(200)
    expect(
      (await one.ask('POST', '/api/v1/apps', { token, json: { project: fresh, environment: 'staging' } })).status,
    ).to.equal(200)
    const placed = await two.token({ scope: 'project', project: fresh, environment: 'staging' })
    expect((await one.ask('GET', '/api/v1/token/services', { token: placed })).body.services).to.have.length(1)
  })

  it('of two services of one name made at once through both, one is there and the other is refused', async () => {
    for (let round = 0; round < 4; round += 1) {
      const name = `twin-${round}`
      const ask = (api: TestApi) =>
        api.ask('POST', '/api/v1/apps', { token, json: { project, environment: 'production', image: 'nginx:1', name } })
      const answers = await Promise.all([ask(one), ask(two)])
      expect(answers.map(({ status }) => status)).to.have.members([200, 400])
      expect(answers.find(({ status }) => status === 400)?.body.error).to.equal(`the name ${name} is already used`)
    }
  })
})
