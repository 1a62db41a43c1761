/** Services as an admin makes and edits them over HTTP, in a project of their own. */
import { expect } from 'chai'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type Answer, type TestApi } from './test-api.ts'

interface Running {
  api: TestApi
  /** Of an admin, as is the session of the cookie. */
  token: string
  cookie: string
  project: string
}

/** For the tests of a `describe`: an api of their own. `world` is filled in before the first. */
export function useServices() {
  const world = {} as Running // by the hook below

  before(async function () {
    this.timeout(60_000)
    const api = await startTestApi()
    Object.assign(world, { api, token: await api.token({ name: 'settings', role: 'admin' }) })
    Object.assign(world, { cookie: await api.signIn('admin'), project: (await post('/projects')).body.project })
  })
  after(async () => {
    await world.api.stop()
  })

  const post = (path: string, json: object = {}, as = world.token): Promise<Answer> =>
    world.api.ask('POST', `/api/v1${path}`, { token: as, json })
  const create = async (fields: object = {}): Promise<string> => {
    const { status, text, body } = await post('/apps', {
      project: world.project,
      environment: 'production',
      image: 'svc/hello:1',
      ...fields,
    })
    expect(status, text).to.equal(200)
    return body.name
  }
  const record = async (name: string): Promise<App> => {
    const { client } = await useStack()
    const app = await client.get<App>({ type: resourceTypes.app, namespace: systemNamespace, name })
    if (app === undefined) throw new Error(`no service ${name}`)
    return app
  }
  return {
    world,
    post,
    get: (path: string, as = world.token): Promise<Answer> => world.api.ask('GET', `/api/v1${path}`, { token: as }),
    patch: (name: string, json: object, at = world.api): Promise<Answer> =>
      at.ask('PATCH', `/api/v1/apps/${name}`, { token: world.token, json }),
    create,
    deployed: (fields: object = {}) => create({ ...fields, deploy: true }),
    record,
    /** Writes a status as the worker does. */
    observe: async (name: string, status: object): Promise<void> => {
      const { client } = await useStack()
      const { intent } = viewOf(await record(name))
      const written = await client.patch<App>(
        { type: resourceTypes.app, namespace: systemNamespace, name },
        { status: { observedIntent: intent, acceptedIntent: intent, ...status } },
        { subresource: 'status' },
      )
      world.api.needs.caches.apps.put(written)
    },
  }
}
