/** The settings of the platform over HTTP: as an admin saves and reads them, and what is kept of them. */
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { textsOf } from '../../cluster/objects/secret-data.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type Answer, type Asked, type TestApi } from './test-api.ts'

export const configRef = { type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' }

interface Running {
  api: TestApi
  client: ClusterClient
  token: string
  observer: string
}

/**
 * For the tests of a `describe`: an api of their own, and settings that are forgotten after each of them. `world` is
 * filled in before the first.
 */
export function useSettings() {
  const world = {} as Running // by the hook below

  before(async function () {
    this.timeout(60_000)
    const { client } = await useStack()
    const api = await startTestApi()
    Object.assign(world, {
      client,
      api,
      token: await api.token({ role: 'admin' }),
      observer: await api.token({ role: 'observer' }),
    } satisfies Running)
    await forget()
  })
  afterEach(() => forget())
  after(async () => {
    await world.api.stop()
  })

  async function forget(): Promise<void> {
    await world.client.delete(configRef)
    for (const name of ['platform-registry', 'platform-dns-provider', 'platform-githost'])
      await world.client.delete({ type: coreTypes.secret, namespace: systemNamespace, name })
    await eventually('the configuration is forgotten', () => world.api.needs.caches.platformConfig.list().length === 0)
  }

  /** As an admin, unless another token is given. */
  const ask = (method: string, path: string, asked: Asked = {}): Promise<Answer> =>
    world.api.ask(method, path, { token: world.token, ...asked })
  return {
    world,
    ask,
    read: async (of: string) => (await ask('GET', `/api/settings/${of}`)).body,
    form: (path: string, fields: NonNullable<Asked['form']> = {}) =>
      ask('POST', `/api/settings/${path}`, { form: fields }),
    /** What the api logged of secrets that tests send. */
    leaks: () => world.api.logLines().filter((line) => /s3cret|c-secret|w-secret/.test(JSON.stringify(line))),
    config: () => world.client.get<PlatformConfig>(configRef),
    /** Type and texts of a Secret; undefined where there is none. */
    secret: async (
      name: string,
    ): Promise<{ type?: string | undefined; values: Record<string, string> } | undefined> => {
      const found = await world.client.get<KubeObject & { type?: string; data?: Record<string, string> }>({
        type: coreTypes.secret,
        namespace: systemNamespace,
        name,
      })
      return found === undefined ? undefined : { type: found.type, values: textsOf(found) }
    },
  }
}
