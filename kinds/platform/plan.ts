/** The work that the platform's configuration asks for: a pure function of the record and of what it depends on. */
import { defined } from '../../contract/defined.ts'
import { conditionOf } from '../meta/conditions.ts'
import { digest } from '../meta/digest.ts'
import { dashboardUrlOf, rootDomainOf } from './address.ts'
import { editedBy } from '../provision/edited-by.ts'
import type { PublicHost } from './dns-records.ts'
import type { PlatformConfig } from './kind.ts'
import { turnOf } from './settings.ts'

export interface PlatformPlan {
  /** Whether records, tunnel and connection of the DNS provider have to be reconciled or removed. */
  dns: boolean
  /** Whether the address of the dashboard has to be checked for this generation. */
  domain: boolean
  /** Who asked for the domain that was not checked yet; recorded histories may lack it. */
  actor?: string
}

/** The inputs of the DNS records besides the configuration. */
export interface DnsNeeds {
  hosts: readonly PublicHost[]
  /** Addresses of the nodes. */
  addresses: readonly string[]
}

/**
 * The intent of the DNS provider's work: a digest of its inputs. A new token changes it, too, though it changes no
 * field.
 */
export function dnsIntent(config: PlatformConfig, { hosts, addresses }: DnsNeeds): string {
  const { cloudflareConnectionRef, cloudflareZoneID, dashboardExposure } = config.spec
  const asked = {
    cloudflareConnectionRef,
    cloudflareZoneID,
    dashboardExposure,
    root: rootDomainOf(config.spec),
    url: dashboardUrlOf(config.spec),
  }
  const led = [hosts.map(({ host, owner }) => `${host} ${owner}`).toSorted(), [...addresses].toSorted()]
  return digest([config.metadata.uid, asked, turnOf(config, 'dns-provider'), led])
}

export const isConnected = (config: PlatformConfig | undefined): config is PlatformConfig =>
  config?.spec.cloudflareConnectionRef !== undefined

/** @param leftovers whether objects of a former connection may still exist, by a live read */
export function planOfPlatform(config: PlatformConfig | undefined, leftovers: boolean): PlatformPlan {
  const said = conditionOf(config?.status?.conditions, 'DashboardDomainReady')
  const isNew = config !== undefined && said?.observedGeneration !== config.metadata.generation
  return {
    dns: leftovers || isConnected(config) || namesConnection(config),
    domain: config !== undefined && asksForCheck(config),
    ...defined({ actor: isNew ? editedBy(config.metadata) : undefined }),
  }
}

/**
 * A verdict is valid for the generation that was checked (docs/reference/platform.md#domain-verification); NoDomain
 * ends only with another generation.
 */
export function asksForCheck(config: PlatformConfig): boolean {
  const said = conditionOf(config.status?.conditions, 'DashboardDomainReady')
  if (said === undefined || said.observedGeneration !== config.metadata.generation) return true
  return said.status !== 'True' && dashboardUrlOf(config.spec) !== undefined
}

/** Whether the work at the DNS provider for this configuration has not ended yet. */
export function asksForDns(config: PlatformConfig, needs: DnsNeeds): boolean {
  if (!isConnected(config)) return namesConnection(config)
  const said = conditionOf(config.status?.conditions, 'CloudflareReady')
  return (
    said?.observedGeneration !== config.metadata.generation ||
    config.status?.observedIntent !== dnsIntent(config, needs)
  )
}

/** Whether the status still has traces of a connection. */
function namesConnection(config: PlatformConfig | undefined): boolean {
  return (
    conditionOf(config?.status?.conditions, 'CloudflareReady') !== undefined ||
    config?.status?.cloudflareTunnelID !== undefined
  )
}

/**
 * The domain in which services without a host of their own get one, once the DNS provider is ready
 * (docs/reference/platform.md#auto-hosts).
 */
export function platformHosts(config: PlatformConfig | undefined): { domain: string } | undefined {
  const root = rootDomainOf(config?.spec)
  if (root === undefined || !isConnected(config)) return undefined
  return conditionOf(config.status?.conditions, 'CloudflareReady')?.status === 'True' ? { domain: root } : undefined
}
