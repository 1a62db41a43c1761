/**
 * The platform of a test: its domain in a real name server, a TLS endpoint as its dashboard, a stand-in for the DNS
 * provider, and a worker of its own.
 */
import { WorkflowNotFoundError } from '@temporalio/client'
import { ResourceCache } from '../../cluster/cache/cache.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { workflowId } from '../../durable/ids.ts'
import { conditionOf } from '../../kinds/meta/conditions.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { SettingCondition, SettingReason } from '../../kinds/platform/conditions.ts'
import type { PlatformConfig, PlatformConfigSpec } from '../../kinds/platform/kind.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Condition } from '../../kinds/meta/resource.ts'
import { type RecordStore, recordStore } from '../../records/store/record-store.ts'
import { saveDnsProvider } from '../../records/settings/dns-provider.ts'
import { saveDomain } from '../../records/settings/domain.ts'
import { clearSetting } from '../../records/settings/save-setting.ts'
import { eventually } from '../cluster/eventually.ts'
import { type CloudflareStandIn, startCloudflareStandIn } from '../harness/cloudflare-api.ts'
import { makeAuthority, startEndpoint, type TestAuthority, type TestEndpoint } from '../harness/dashboard-endpoint.ts'
import { startDns, type TestDns } from '../harness/dns-server.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { until, useWakes } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { useClient } from '../harness/temporal-client.ts'
import { withoutWorker } from '../harness/worker.ts'

export const platformId = workflowId('platform', platformConfigName)
export const dashboardService = 'svc-dashboard-test'
const waitMs = 60_000

/** Milliseconds in place of seconds; timeouts stay long enough for a busy machine. */
export const platformPolicy = {
  recheckMs: 300,
  domainRecheckMs: 200,
  domainPendingMs: 600_000,
  domainSlowMs: 400,
  domainTryMs: 20_000,
} as const

export interface PlatformWorld {
  readonly store: RecordStore<PlatformConfig>
  readonly dns: TestDns
  readonly authority: TestAuthority
  readonly endpoint: TestEndpoint
  readonly provider: CloudflareStandIn
  readonly root: string
  /** The dashboard's address, which the endpoint serves. */
  readonly url: string
  /** The environment of a worker of this world. */
  readonly env: Record<string, string>
  saveDomain(settings?: {
    rootDomain?: string
    dashboardURL?: string
    dashboardExposure?: PlatformConfigSpec['dashboardExposure']
  }): Promise<void>
  connect(settings?: { apiToken?: string; zoneId?: string }): Promise<void>
  disconnect(): Promise<void>
  /** Resolves when the condition has this reason for the generation that the record has. */
  untilSaid(
    type: SettingCondition,
    reason: SettingReason<SettingCondition>,
    message?: string | RegExp,
  ): Promise<PlatformConfig>
  said(type: SettingCondition): Condition | undefined
  /** Resolves when no run is open. */
  untilRest(): Promise<void>
  /**
   * Removes the configuration and everything at the provider, ends the injected faults, and waits until no run is open.
   */
  reset(): Promise<void>
  stop(): Promise<void>
}

export async function makePlatformWorld(root: string): Promise<PlatformWorld> {
  await withoutWorker()
  // Services of other files would get hosts of this domain.
  await forgetRecords()
  const { client } = await useStack()
  const cache = new ResourceCache<PlatformConfig>({
    client,
    type: resourceTypes.platformConfig,
    namespace: systemNamespace,
    log: silentLog,
  })
  await cache.start()
  const store = recordStore(client, cache, resourceTypes.platformConfig)
  const host = `svc.${root}`
  const [dns, authority, provider] = await Promise.all([startDns(root), makeAuthority(), startCloudflareStandIn()])
  const endpoint = await startEndpoint(await authority.issue(host))
  const url = `https://${host}:${endpoint.port}`
  const needs = { client, keepConfig: (config: PlatformConfig) => cache.put(config) }
  const wake = async (reason: string) =>
    (await useWakes()).wake('platform', platformConfigName, { reason, actor: 'tester' })
  const said = (type: SettingCondition) =>
    conditionOf(cache.get(platformConfigName, systemNamespace)?.status?.conditions, type)
  const secret = (name: string) => client.delete({ type: coreTypes.secret, namespace: systemNamespace, name })
  const makeService = async () => {
    if (
      (await client.get({ type: coreTypes.service, namespace: systemNamespace, name: dashboardService })) !== undefined
    )
      return
    const metadata = { name: dashboardService, namespace: systemNamespace }
    await client.create<KubeObject & { spec: object }>(coreTypes.service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { ports: [{ port: 8085 }] },
    })
  }
  const isOpen = async () => {
    try {
      const run = await (await useClient()).workflow.getHandle(platformId).describe()
      return run.status.name === 'RUNNING'
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false
      throw error
    }
  }
  const untilRest = () => eventually('no run of the platform is open', async () => !(await isOpen()), waitMs)
  await makeService()
  return {
    store,
    dns,
    authority,
    endpoint,
    provider,
    root,
    url,
    env: {
      SVC_DNS_SERVERS: dns.server,
      NODE_EXTRA_CA_CERTS: authority.file,
      SVC_PUBLIC_ADDRESSES: '127.0.0.1',
      SVC_DASHBOARD_SERVICE: dashboardService,
      SVC_CLOUDFLARE_URL: provider.url,
    },
    async saveDomain(settings = {}) {
      await saveDomain(needs, { rootDomain: root, dashboardURL: url, ...settings })
      await wake('domain saved')
    },
    async connect({ apiToken = provider.token, zoneId } = {}) {
      const account = {
        apiToken,
        accountId: provider.account,
        zoneName: undefined,
        zones: undefined,
        zoneId,
        keepExisting: false,
      }
      await saveDnsProvider(needs, account)
      await wake('DNS provider saved')
    },
    async disconnect() {
      await clearSetting(needs, 'dns-provider')
      await wake('DNS provider cleared')
    },
    said,
    untilSaid: (type, reason, message) =>
      until(
        store,
        { metadata: { name: platformConfigName } },
        (config) => {
          const condition = conditionOf(config?.status?.conditions, type)
          if (condition?.reason !== reason || condition.observedGeneration !== config?.metadata.generation) return false
          return (
            message === undefined ||
            (typeof message === 'string' ? condition.message === message : message.test(condition.message))
          )
        },
        `${type} ${reason} ${String(message ?? '')}`,
      ),
    untilRest,
    async reset() {
      provider.heal()
      provider.onWrite(() => undefined)
      await client.delete({ type: resourceTypes.platformConfig, namespace: systemNamespace, name: platformConfigName })
      await secret('platform-dns-provider')
      await wake('the configuration is gone')
      const used = () =>
        client.get({ type: coreTypes.secret, namespace: systemNamespace, name: 'platform-dns-account' })
      await eventually('what was made is taken away', async () => (await used()) === undefined, waitMs)
      await untilRest()
      for (const zone of [root, 'elsewhere.test', 'another.test']) provider.forgetZone(zone)
      provider.tunnels.length = 0
      provider.calls.length = 0
      await makeService()
      await dns.serve([])
    },
    async stop() {
      await client.delete({ type: resourceTypes.platformConfig, namespace: systemNamespace, name: platformConfigName })
      for (const name of ['platform-dns-provider', 'platform-dns-account', 'svc-tunnel']) await secret(name)
      await client.delete({ type: coreTypes.service, namespace: systemNamespace, name: dashboardService })
      await (
        await useClient()
      ).workflow
        .getHandle(platformId)
        .terminate('the test is over')
        .catch((error: unknown) => {
          if (!(error instanceof WorkflowNotFoundError)) throw error // the run has ended by itself
        })
      await Promise.all([cache.stop(), dns.stop(), endpoint.stop(), provider.stop(), authority.forget()])
    },
  }
}
