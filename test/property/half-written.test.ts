/**
 * Writes of a Secret and a record: an api that dies before or after any of them leaves nothing that the next try does
 * not repair.
 */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { startTestApi, type Answer, type TestApi } from '../api/test-api.ts'
import { lateClient } from '../harness/late-client.ts'
import { useStack } from '../harness/stack.ts'
import { mortalClient, type MortalClient } from '../kill/mortal-client.ts'
import { keptNow, removeSince, type Kept } from './kept.ts'

/**
 * A client of a process that can die: after its death no call reaches the cluster, until `revive` starts another
 * process.
 */
function mortal(client: ClusterClient): MortalClient & { dead: () => boolean; revive: () => void } {
  let dead = false
  const gone = (): never => {
    dead = true
    throw new Error('the process is gone')
  }
  const living =
    <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
    (...args: Args) =>
      dead ? Promise.reject(new Error('the process is gone')) : call(...args)
  const { get, create, replace, patch, apply, delete: remove } = client
  const calls = {
    get: living(get),
    create: living(create),
    replace: living(replace),
    patch: living(patch),
    apply: living(apply),
    delete: living(remove),
  }
  const still = { ...client, ...calls }
  return { ...mortalClient(still, gone), dead: () => dead, revive: () => void (dead = false) }
}

/** How late the cache of one api receives the writes of the other: after the next request, not before it. */
const lateMs = 100

interface Scenario {
  readonly title: string
  /** Makes what the case needs; resolves with a name to continue with. */
  readonly before: () => Promise<string>
  readonly ask: (api: TestApi, name: string) => Promise<Answer>
  /**
   * Asks the api that answered, since another api receives the write a moment later. Throws unless the work is done
   * exactly once.
   */
  readonly verify: (api: TestApi, name: string, answer: Answer) => Promise<void>
}

describe('an api that dies in the middle', function () {
  this.timeout(120_000)
  let client: ClusterClient
  let living: TestApi
  let dying: TestApi
  let ends: ReturnType<typeof mortal>
  let atFirst: Kept
  let cookie: string
  let project: string

  before(async () => {
    ;({ client } = await useStack())
    const late = lateClient(client, lateMs)
    ends = mortal(late)
    ;[living, dying] = await Promise.all([startTestApi({ client: late }), startTestApi({ client: ends.client })])
    atFirst = await keptNow(client)
    cookie = await living.signIn('admin')
    project = (await post(living, '/projects', {})).body.project
  })
  after(async () => {
    ends.revive()
    await Promise.all([living.stop(), dying.stop()])
    await removeSince(client, atFirst)
  })

  const post = (api: TestApi, path: string, json: object) => api.ask('POST', `/api/v1${path}`, { cookie, json })
  const get = (api: TestApi, path: string) => api.ask('GET', `/api/v1${path}`, { cookie })
  const app = async () =>
    (await post(living, '/apps', { project, environment: 'production', image: 'nginx:1' })).body.name as string
  const done = async (asked: Promise<Answer>) => {
    const answer = await asked
    expect(answer.status, answer.text).to.equal(200)
    return answer
  }
  const secretsOf = async (api: TestApi, name: string) => (await done(get(api, `/apps/${name}/variables`))).body.secrets
  const sharedOf = async (api: TestApi) =>
    (await done(get(api, `/projects/${project}`))).body.spec.sharedVariables as { name: string }[]
  let count = 0
  const variable = () => `SHARED_${(count += 1)}`

  const scenarios: readonly Scenario[] = [
    {
      title: 'POST /api/v1/apps/{app}/secrets/set',
      before: app,
      ask: (api, name) => post(api, `/apps/${name}/secrets/set`, { key: 'KEY', value: 'v' }),
      async verify(api, name) {
        expect(await secretsOf(api, name)).to.deep.equal(['KEY'])
        expect((await get(api, `/apps/${name}/status`)).body.pendingChanges).to.be.above(0)
      },
    },
    {
      title: 'POST /api/v1/apps/{app}/secrets/delete',
      async before() {
        const name = await app()
        await done(post(living, `/apps/${name}/secrets/set`, { key: 'KEY', value: 'v' }))
        return name
      },
      ask: (api, name) => post(api, `/apps/${name}/secrets/delete`, { key: 'KEY' }),
      verify: async (api, name) => void expect(await secretsOf(api, name)).to.deep.equal([]),
    },
    {
      title: 'POST /api/v1/projects/{project}/variables/save',
      before: async () => variable(),
      ask: (api, name) => post(api, `/projects/${project}/variables/save`, { name, value: 'v', secret: true }),
      verify: async (api, name) =>
        void expect((await sharedOf(api)).filter((each) => each.name === name)).to.have.length(1),
    },
    {
      title: 'POST /api/v1/projects/{project}/variables/delete',
      async before() {
        const name = variable()
        await done(post(living, `/projects/${project}/variables/save`, { name, value: 'v', secret: true }))
        return name
      },
      ask: (api, name) => post(api, `/projects/${project}/variables/delete`, { name }),
      verify: async (api, name) =>
        void expect((await sharedOf(api)).filter((each) => each.name === name)).to.deep.equal([]),
    },
    {
      title: 'POST /api/v1/apps/{app}/deploy',
      async before() {
        const name = await app()
        await done(post(living, `/apps/${name}/secrets/set`, { key: 'KEY', value: 'v' }))
        return name
      },
      ask: (api, name) => post(api, `/apps/${name}/deploy`, {}),
      verify: async (api, name) =>
        void expect((await get(api, `/apps/${name}/status`)).body.pendingChanges).to.equal(0),
    },
    {
      title: 'POST /api/v1/databases',
      before: async () => `half-${(count += 1)}`,
      // A caller who retries after a lost answer finds the name taken by their own draft.
      ask: async (api, name) => {
        const answer = await post(api, '/databases', { project, environment: 'production', name })
        return answer.body?.error === `the name ${name} is already used` ? get(api, `/databases/${name}`) : answer
      },
      verify: async (api, name) =>
        void expect((await get(api, `/databases/${name}`)).body.resource).to.include({
          state: 'draft',
          pendingChanges: 1,
        }),
    },
    {
      title: 'POST /api/v1/object-stores/{store}/deploy',
      before: async () =>
        (
          await done(
            post(living, '/object-stores', { project, environment: 'production', bucket: `half-${(count += 1)}` }),
          )
        ).body.name,
      ask: (api, name) => post(api, `/object-stores/${name}/deploy`, {}),
      verify: async (api, name) =>
        void expect((await get(api, `/object-stores/${name}`)).body.resource).to.include({
          state: 'pending',
          pendingChanges: 0,
        }),
    },
    {
      title: 'DELETE /api/v1/databases/{db}',
      before: async () => (await done(post(living, '/databases', { project, environment: 'production' }))).body.name,
      async ask(api, name) {
        const answer = await api.ask('DELETE', `/api/v1/databases/${name}?confirmName=${name}`, { cookie })
        return answer.status === 404 ? get(api, '/databases') : answer
      },
      verify: async (api, name) => void expect((await get(api, `/databases/${name}`)).status).to.equal(404),
    },
    {
      title: 'POST /api/v1/tokens',
      before: async () => `ci-${(count += 1)}`,
      ask: (api, name) => post(api, '/tokens', { name }),
      verify: async (api, _, { body }) =>
        void expect((await api.ask('GET', '/api/v1/me', { token: body.token })).status).to.equal(200),
    },
  ]

  for (const { title, before, ask, verify } of scenarios) {
    it(`of ${title}, before or after any of its writes: the next try completes it`, async () => {
      for (const when of ['before', 'after'] as const) {
        let deaths = 0
        for (;;) {
          const name = await before()
          ends.arm({ when, write: deaths + 1, about: '' })
          const answer = ask(dying, name)
          await answer
          // The number of writes depends on what other processes write at the same time.
          if (!ends.dead()) {
            ends.disarm()
            await verify(dying, name, await done(answer))
            break
          }
          deaths += 1
          await verify(living, name, await done(ask(living, name)))
          ends.revive()
        }
        expect(deaths, `${when} any of its writes`).to.be.above(0)
      }
    })
  }
})
