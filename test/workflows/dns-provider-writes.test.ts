/**
 * The pass over the DNS provider (a stand-in for Cloudflare), cut at every write to the cluster or the provider: the
 * passes that follow reach the same end state.
 */
import { expect } from 'chai'
import { ApplicationFailure } from '@temporalio/common'
import { ResourceCache } from '../../cluster/cache/cache.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { createPlatformActivities } from '../../activities/platform/activities.ts'
import { type App, appSpec } from '../../kinds/apps/kind.ts'
import { conditionOf } from '../../kinds/meta/conditions.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import type { PlatformConfig, PlatformConfigSpec } from '../../kinds/platform/kind.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { createProviderApi, type ProviderApi } from '../../outside/dns-provider/call.ts'
import { createLookup } from '../../outside/domain/resolver.ts'
import { recordStore } from '../../records/store/record-store.ts'
import { saveDnsProvider } from '../../records/settings/dns-provider.ts'
import { saveDomain } from '../../records/settings/domain.ts'
import { clearSetting } from '../../records/settings/save-setting.ts'
import { type CloudflareStandIn, startCloudflareStandIn } from '../harness/cloudflare-api.ts'
import { useStack } from '../harness/stack.ts'
import { withoutWorker } from '../harness/worker.ts'
import { placementSettings } from '../../temporal/settings/placement.ts'

const root = 'writes.test'
const dashboard = `svc.${root}`
const web = `web.${root}`
const passes = 30
/** A case with more writes than this is looping. */
const writesMax = 60

interface Death {
  when: 'before' | 'after'
  write: number
}

interface Scenario {
  arrange: () => Promise<void>
  act: () => Promise<void>
  /** What the provider and the record hold at the end. */
  end: () => Promise<unknown>
  wanted: () => unknown
}

describe('passes over the DNS provider (a stand-in for Cloudflare)', function () {
  this.timeout(300_000)
  let client: ClusterClient
  let provider: CloudflareStandIn

  before(async () => {
    await withoutWorker()
    ;({ client } = await useStack())
  })
  beforeEach(async () => {
    provider = await startCloudflareStandIn()
  })
  afterEach(async () => {
    await provider.stop()
    await forget()
  })

  const inSystem = (name: string) => ({ namespace: systemNamespace, name })
  const config = () =>
    client.get<PlatformConfig>({ type: resourceTypes.platformConfig, ...inSystem(platformConfigName) })
  const gone = async () => {
    const names = ['platform-dns-provider', 'platform-dns-account', 'svc-tunnel']
    const secrets = await Promise.all(names.map((name) => client.get({ type: coreTypes.secret, ...inSystem(name) })))
    return names.filter((_, at) => secrets[at] === undefined)
  }
  async function forget(): Promise<void> {
    await client.delete({ type: resourceTypes.platformConfig, ...inSystem(platformConfigName) })
    await client.delete({ type: coreTypes.deployment, ...inSystem('svc-tunnel') })
    for (const name of ['platform-dns-provider', 'platform-dns-account', 'svc-tunnel'])
      await client.delete({ type: coreTypes.secret, ...inSystem(name) })
  }

  /** Activities of a process that dies at this write and writes nothing afterwards. */
  function mortal(
    death: Death | undefined,
    publicAddresses = ['192.0.2.1'],
  ): { run: () => Promise<void>; died: () => boolean } {
    let begun = 0
    let dead = false
    const alive = <R>(call: () => Promise<R>): Promise<R> => (dead ? Promise.reject(new Error('dead')) : call())
    const write = async <R>(effect: () => Promise<R>): Promise<R> => {
      if (dead) throw new Error('dead')
      begun += 1
      const last = begun === death?.write
      dead = last && death.when === 'before'
      if (dead) throw new Error('died')
      const result = await effect()
      dead = dead || last
      if (last) throw new Error('died')
      return result
    }
    const own: ClusterClient = {
      ...client,
      get: (ref, options) => alive(() => client.get(ref, options)),
      list: (type, query) => alive(() => client.list(type, query)),
      create: (type, object, options) => write(() => client.create(type, object, options)),
      replace: (type, object, options) => write(() => client.replace(type, object, options)),
      patch: (ref, patch, options) => write(() => client.patch(ref, patch, options)),
      apply: (type, object, options) => write(() => client.apply(type, object, options)),
      delete: (ref, options) => write(() => client.delete(ref, options)),
    }
    const cache = new ResourceCache<PlatformConfig>({
      client: own,
      type: resourceTypes.platformConfig,
      namespace: systemNamespace,
      log: silentLog,
    })
    const activities = createPlatformActivities({
      client: own,
      config: recordStore(own, cache, resourceTypes.platformConfig),
      apps: { list: () => [service] },
      nodes: { list: () => [] },
      placement: placementSettings({}),
      exposure: {
        publicAddresses,
        ingressService: { namespace: 'kube-system', name: 'traefik' },
        dashboardService: { name: 'svc-api', port: 8085 },
        tunnelImage: 'cloudflare/cloudflared:test',
      },
      lookup: createLookup(),
      probe: async () => 'not asked here',
      provider: (account): ProviderApi => {
        const api = createProviderApi(account, { url: provider.url })
        return {
          call: (method, path, body) =>
            method === 'GET' ? alive(() => api.call(method, path, body)) : write(() => api.call(method, path, body)),
        }
      },
      now: () => new Date(),
    })
    return { run: () => activities.settleDns({ recheckMs: 1, passMs: 60_000 }), died: () => dead }
  }

  const service: App = {
    apiVersion,
    kind: resourceTypes.app.kind,
    metadata: { name: 'web', uid: '6f9d2c1e-0000-4000-8000-00000000000a', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: appSpec.parse({
      project: 'proj-00000000',
      environment: 'production',
      source: { image: { image: 'svc/hello:1' } },
      ingress: { host: web },
      deploy: { enabled: true },
    }),
  }

  /** Repeats the pass, as Temporal retries it, until the pass waits for nothing. */
  async function reconcile(): Promise<void> {
    const { run } = mortal(undefined)
    for (let pass = 1; ; pass += 1) {
      try {
        await run()
        return
      } catch (error) {
        if (!(error instanceof ApplicationFailure && error.type === 'Waiting') || pass === passes) throw error
        await connectorIsUp()
      }
    }
  }

  /** No node of this cluster runs the image: the test writes the status that says that it is up. */
  async function connectorIsUp(): Promise<void> {
    const ref = { type: coreTypes.deployment, ...inSystem('svc-tunnel') }
    if ((await client.get(ref)) === undefined) return
    await client.patch(
      ref,
      { status: { replicas: 2, readyReplicas: 2, availableReplicas: 2 } },
      { subresource: 'status' },
    )
  }

  const save = (dashboardExposure: PlatformConfigSpec['dashboardExposure'] = 'ingress') =>
    saveDomain({ client }, { rootDomain: root, dashboardExposure })
  const connect = async (zoneId?: string) => {
    const { token: apiToken, account: accountId } = provider
    await saveDnsProvider(
      { client },
      { apiToken, accountId, zoneName: undefined, zones: undefined, zoneId, keepExisting: false },
    )
  }
  const said = async () => {
    const now = await config()
    const condition = conditionOf(now?.status?.conditions, 'CloudflareReady')
    return [condition?.reason, condition?.observedGeneration === now?.metadata.generation]
  }
  const held = (zone = root) =>
    provider
      .zone(zone)
      .records.map(({ type, name }) => `${type} ${name}`)
      .toSorted()
  const tunnels = () => provider.tunnels.filter((tunnel) => tunnel.deleted_at === null).length

  const scenarios: Readonly<Record<string, Scenario>> = {
    'made the first records': {
      arrange: async () => void provider.zone(root),
      act: async () => {
        await save()
        await connect()
      },
      end: async () => [held(), await said()],
      wanted: () => [
        [`A ${dashboard}`, `A ${web}`],
        ['Connected', true],
      ],
    },
    'made the tunnel': {
      arrange: async () => void provider.zone(root),
      act: async () => {
        await save('cloudflare-tunnel')
        await connect()
      },
      end: async () => [held(), tunnels(), provider.tunnels.at(-1)?.config?.ingress.length, await said()],
      wanted: () => [[`CNAME ${dashboard}`, `CNAME ${web}`], 1, 3, ['Ready', true]],
    },
    'left tunnel mode': {
      arrange: async () => {
        provider.zone(root)
        await save('cloudflare-tunnel')
        await connect()
        await reconcile()
      },
      act: async () => void (await save('ingress')),
      end: async () => [
        held(),
        tunnels(),
        (await config())?.spec.tunnelCNAMETarget,
        (await config())?.status?.cloudflareTunnelID,
        await said(),
      ],
      wanted: () => [[`A ${dashboard}`, `A ${web}`], 0, undefined, undefined, ['Connected', true]],
    },
    'went to another zone': {
      arrange: async () => {
        provider.zone(`dev.${root}`)
        await save()
        await connect()
        provider.forgetZone(root)
        provider.zone(root)
        await reconcile()
      },
      act: async () => {
        await saveDomain({ client }, { rootDomain: `dev.${root}` })
      },
      end: async () => [held(), held(`dev.${root}`), await said()],
      wanted: () => [[], [`A svc.dev.${root}`], ['Connected', true]],
    },
    'left the provider': {
      arrange: async () => {
        provider.zone(root)
        await save('cloudflare-tunnel')
        await connect()
        await reconcile()
      },
      act: () => clearSetting({ client }, 'dns-provider'),
      end: async () => [held(), tunnels(), await gone(), await said(), (await config())?.status?.dns],
      wanted: () => [
        [],
        0,
        ['platform-dns-provider', 'platform-dns-account', 'svc-tunnel'],
        [undefined, false],
        undefined,
      ],
    },
  }

  /**
   * Whether a pass leaves the configuration at its version. Tried three times: on a busy machine the pod of a connector
   * may be away for a moment, and the status then says so.
   */
  async function changesNothing(): Promise<boolean> {
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const before = (await config())?.metadata.resourceVersion
      await reconcile()
      if ((await config())?.metadata.resourceVersion === before) return true
    }
    return false
  }

  for (const [what, scenario] of Object.entries(scenarios)) {
    it(`finish what a worker left that died at any write while it ${what}, and change nothing when repeated`, async () => {
      let writes = 0
      for (const when of ['before', 'after'] as const) {
        for (let write = 1; ; write += 1) {
          expect(write, 'writes').to.be.below(writesMax)
          const point = `${when} write ${write}`
          await provider.stop()
          provider = await startCloudflareStandIn()
          await forget()
          await scenario.arrange()
          await scenario.act()
          const { run, died } = mortal({ when, write })
          await run().catch(() => undefined)
          await reconcile()
          expect(await scenario.end(), point).to.deep.equal(scenario.wanted())
          const calls = provider.calls.length
          expect(await changesNothing(), `${point}, a second pass changes the configuration`).to.equal(true)
          const changing = provider.calls.slice(calls).filter((call) => !call.startsWith('GET '))
          expect(changing, `${point}, a second pass`).to.deep.equal([])
          writes = Math.max(writes, write)
          if (!died()) break
        }
      }
      expect(writes).to.be.above(3)
    })
  }

  it('say DNSError where the cluster has no address that hosts could lead to, and make no record', async () => {
    provider.zone(root)
    await save()
    await connect()
    const awaited = await mortal(undefined, [])
      .run()
      .catch((error: unknown) => error)
    expect(awaited).to.include({ message: 'this cluster has no public address that hosts could lead to' })
    expect(await said()).to.deep.equal(['DNSError', true])
    expect(held()).to.deep.equal([])
  })

  it('keep both tokens out of every object but the two Secrets and the one of the tunnel', async () => {
    provider.zone(root)
    await save('cloudflare-tunnel')
    await connect()
    await reconcile()
    const secrets = [provider.token, provider.tunnels[0]?.token ?? 'none']
    const types = [resourceTypes.platformConfig, coreTypes.event, coreTypes.deployment, coreTypes.configMap]
    const objects = (
      await Promise.all(types.map((type) => client.list<KubeObject>(type, { namespace: systemNamespace })))
    ).flatMap(({ items }) => items)
    const text = JSON.stringify(objects)
    for (const secret of secrets) {
      expect(text).to.not.include(secret)
      expect(text).to.not.include(Buffer.from(secret).toString('base64'))
    }
  })
})
