/**
 * The caller of a kill run that sets up the platform: saves, changes, disturbs and clears domain, DNS provider and
 * tunnel.
 */
import { publishedHosts } from '../../activities/platform/published-hosts.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { conditionOf } from '../../kinds/meta/conditions.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { dashboardIngressName } from '../../kinds/platform/dashboard-ingress.ts'
import type { SettingCondition } from '../../kinds/platform/conditions.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { platformConfigName, tunnelObject } from '../../kinds/platform/settings.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { saveDnsProvider } from '../../records/settings/dns-provider.ts'
import { clearDomain, saveDomain } from '../../records/settings/domain.ts'
import { clearSetting } from '../../records/settings/save-setting.ts'
import type { TestRecords } from '../harness/records.ts'
import { Caller } from './caller.ts'
import { dashboardService, type Domain } from './domain.ts'
import { holdsInTime, insist } from './insist.ts'
import type { Chance } from './seeded.ts'

export interface PlatformNeeds {
  records: TestRecords
  domain: Domain
  /** Reports a breach at once. */
  report: (breach: string) => void
}

type Exposure = 'ingress' | 'cloudflare-tunnel'
const weights = { exposure: 30, connection: 20, domain: 10, disturb: 40 } as const
/** A record of another owner in the same zone. */
const foreign = { id: 'foreign', type: 'A', content: '203.0.113.9', proxied: false, ttl: 300, comment: 'not of svc' }

export class PlatformSlot extends Caller {
  readonly #needs: PlatformNeeds
  readonly #foreign: string
  /** The exposure accepted last; undefined without a domain. */
  #exposure: Exposure | undefined
  #connected = false

  constructor(needs: PlatformNeeds, chance: Chance) {
    super(chance)
    this.#needs = needs
    this.#foreign = `mail.${needs.domain.root}`
  }

  /**
   * Creates the zone with a record of another owner and the Service that stands for the dashboard, and connects the
   * provider: from now on services get hosts.
   */
  async open(): Promise<void> {
    const { domain, records } = this.#needs
    domain.provider.zone(domain.root).records.push({ ...foreign, name: this.#foreign })
    const metadata = { name: dashboardService, namespace: systemNamespace }
    await records.client.create<KubeObject & { spec: object }>(coreTypes.service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { ports: [{ port: 8085 }] },
    })
    await this.#save('ingress')
    await this.#connect(true)
    await this.untilReconciled()
  }

  /** Compares the provider's records with the expected ones; no operation may be under way. */
  async breaches(): Promise<string[]> {
    const held = this.#zone.map(({ type, name }) => `${type} ${name}`).toSorted()
    const config = await this.#config()
    const hosts =
      this.#connected && this.#exposure !== undefined
        ? publishedHosts(this.#needs.records.apps.cache.list(), config).flatMap(({ host }) =>
            host.endsWith(`.${this.#needs.domain.root}`) ? [host] : [],
          )
        : []
    const wanted = [...new Set([...this.#dashboard, ...hosts])].map(
      (host) => `${this.#tunnelled ? 'CNAME' : 'A'} ${host}`,
    )
    const [there, due] = [held.join(', '), [...wanted, `A ${this.#foreign}`].toSorted().join(', ')]
    const missing = await this.#missing()
    return [
      ...(there === due ? [] : [`the zone holds ${there} instead of ${due}`]),
      ...(missing === '' ? [] : [`the platform lacks ${missing}`]),
    ]
  }

  /** Tokens that may be readable nowhere. */
  get secrets(): string[] {
    const { provider } = this.#needs.domain
    return [provider.token, ...provider.tunnels.map(({ token }) => token)]
  }

  protected async change(): Promise<void> {
    const wish = this.#exposure === undefined ? 'domain' : this.#connected ? this.chance.weighed(weights) : 'connection'
    if (wish === 'connection') await this.#connect(!this.#connected)
    else if (wish === 'disturb') await this.#disturb()
    else if (wish === 'domain')
      await this.#save(this.#exposure === undefined ? this.chance.pick(['ingress', 'cloudflare-tunnel']) : undefined)
    else await this.#save(this.#exposure === 'ingress' ? 'cloudflare-tunnel' : 'ingress')
  }

  async #save(exposure: Exposure | undefined): Promise<void> {
    const { records, domain } = this.#needs
    const wanted = { rootDomain: domain.root, dashboardURL: domain.url, dashboardExposure: exposure }
    await this.insist(() => (exposure === undefined ? clearDomain(records) : saveDomain(records, wanted)))
    this.#exposure = exposure
  }

  async #connect(wanted: boolean): Promise<void> {
    const { records, domain } = this.#needs
    const { token: apiToken, account: accountId } = domain.provider
    const settings = {
      apiToken,
      accountId,
      zoneName: undefined,
      zones: undefined,
      zoneId: undefined,
      keepExisting: false,
    }
    await this.insist(() => (wanted ? saveDnsProvider(records, settings) : clearSetting(records, 'dns-provider')))
    this.#connected = wanted
  }

  /** Deletes by hand what svc made, in the cluster or at the provider. */
  async #disturb(): Promise<void> {
    const { client } = this.#needs.records
    const what = this.chance.pick(['connector', 'ingress', 'record'])
    if (what === 'record') {
      const lost = this.#zone.findIndex(({ name }) => this.#dashboard.includes(name))
      if (lost >= 0) this.#zone.splice(lost, 1)
      return
    }
    const ref =
      what === 'connector'
        ? { type: coreTypes.deployment, name: tunnelObject }
        : { type: coreTypes.ingress, name: dashboardIngressName }
    await this.insist(() => client.delete({ ...ref, namespace: systemNamespace }, { propagation: 'Background' }))
  }

  protected async untilReconciled(): Promise<void> {
    let missing = ''
    const holds = async () => {
      missing = await this.#missing()
      return missing === ''
    }
    if (await holdsInTime(holds)) return
    const { spec, status } = (await this.#config()) ?? {}
    this.#needs.report(`the platform lacks ${missing}: ${JSON.stringify({ spec, status })}`)
  }

  /** What is missing; '' when nothing. */
  async #missing(): Promise<string> {
    const config = await this.#config()
    const trueNow = (type: SettingCondition) => {
      const said = conditionOf(config?.status?.conditions, type)
      return said?.status === 'True' && said.observedGeneration === config?.metadata.generation
        ? said.reason
        : `${said?.reason} (${said?.message})`
    }
    const tunnels = this.#needs.domain.provider.tunnels.filter((tunnel) => tunnel.deleted_at === null).length
    if (tunnels !== (this.#tunnelled ? 1 : 0)) return `the right number of tunnels: there are ${tunnels}`
    const connector = await this.#isThere(coreTypes.deployment, tunnelObject)
    if (connector !== this.#tunnelled)
      return `the connector as it should be: it is ${connector ? 'there' : 'not there'}`
    if (!this.#zone.some(({ name }) => name === this.#foreign)) return 'a record that is not its own'
    const led = this.#zone.filter(
      ({ name, type }) => this.#dashboard.includes(name) && type === (this.#tunnelled ? 'CNAME' : 'A'),
    ).length
    if (led !== this.#dashboard.length) return `the record of its dashboard: there are ${led}`
    if (!this.#connected) {
      if (conditionOf(config?.status?.conditions, 'CloudflareReady') !== undefined)
        return 'silence about a provider that is not connected'
      if (await this.#isThere(coreTypes.secret, 'platform-dns-account'))
        return 'an end of the account it no longer uses'
    } else if (trueNow('CloudflareReady') !== (this.#tunnelled ? 'Ready' : 'Connected'))
      return `its provider: ${trueNow('CloudflareReady')}`
    if (this.#exposure !== undefined && trueNow('DashboardDomainReady') !== 'Verified')
      return `its domain: ${trueNow('DashboardDomainReady')}`
    return ''
  }

  get #tunnelled(): boolean {
    return this.#connected && this.#exposure === 'cloudflare-tunnel'
  }

  /** The host that should be in the zone. */
  get #dashboard(): string[] {
    return this.#connected && this.#exposure !== undefined ? [new URL(this.#needs.domain.url).hostname] : []
  }

  get #zone() {
    const { provider, root } = this.#needs.domain
    return provider.zone(root).records
  }

  async #isThere(type: typeof coreTypes.secret, name: string): Promise<boolean> {
    return (await this.#needs.records.client.get({ type, namespace: systemNamespace, name })) !== undefined
  }

  async #config(): Promise<PlatformConfig | undefined> {
    return insist(() =>
      this.#needs.records.client.get<PlatformConfig>({
        type: resourceTypes.platformConfig,
        namespace: systemNamespace,
        name: platformConfigName,
      }),
    )
  }
}
