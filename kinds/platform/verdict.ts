/**
 * What is said of the dashboard's address, from what was found out about it
 * (docs/reference/platform.md#domain-verification).
 */
import type { SettingReason, SettingVerdict } from './conditions.ts'

type Verdict = SettingVerdict<'DashboardDomainReady'>

/** What a check has looked at; everything but the probe is looked at only when the probe failed. */
export interface DomainFacts {
  /** `https://host[:port]`. */
  url: string
  exposure: 'ingress' | 'cloudflare-tunnel'
  /** Why the address did not answer; undefined when it did. */
  unanswered?: string
  /** What CloudflareReady says, when a DNS provider is connected and it does not say True. */
  provider?: { reason: SettingReason<'CloudflareReady'> | ''; message: string; zoneRequired: boolean }
  /** Name of the tunnel, '' for none; counts in tunnel mode only. */
  tunnel?: string
  /** Something of the cluster that has to be there and is not, in words. */
  broken?: string
  /** Addresses of the cluster, and why there are none. */
  cluster?: { addresses: readonly string[] }
  dns?: { addresses: readonly string[] } | { problem: string }
  /** Of the certificate issuer, when there is one and it is not ready. */
  issuer?: string
}

const no = (reason: SettingReason<'DashboardDomainReady'>, message: string): Verdict => ({
  ready: false,
  reason,
  message,
})

export const noDomain: Verdict = no('NoDomain', 'no root domain is set')

/**
 * Whether the address answers the probe decides (docs/reference/platform.md#domain-verification); else the first thing
 * that explains why it does not.
 */
export function domainVerdict(facts: DomainFacts): Verdict {
  const { url, exposure, unanswered, provider, broken } = facts
  if (unanswered === undefined) return { ready: true, reason: 'Verified', message: `${url} answers` }
  if (provider?.reason === 'CredentialsIncomplete' || provider?.reason === 'CredentialsInvalid')
    return no('Error', provider.message)
  if (provider?.zoneRequired === true) return no('ZoneRequired', provider.message)
  if (exposure === 'cloudflare-tunnel' && (facts.tunnel ?? '') === '')
    return no(
      'PendingTunnel',
      provider === undefined ? 'no DNS provider is connected that could make the tunnel' : provider.message,
    )
  if (broken !== undefined) return no('Error', broken)
  if (provider?.reason === 'DNSError') return no('PendingDNS', `DNS record creation failed: ${provider.message}`)
  return (
    resolves(facts) ??
    no('PendingHTTPS', `${url} does not answer: ${unanswered}${facts.issuer === undefined ? '' : `; ${facts.issuer}`}`)
  )
}

/** Undefined when the name leads where it should. */
function resolves({ url, exposure, cluster, dns }: DomainFacts): Verdict | undefined {
  const host = new URL(url).hostname
  if (dns === undefined) return undefined
  if ('problem' in dns) return no('PendingDNS', `${host} cannot be looked up: ${dns.problem}`)
  if (dns.addresses.length === 0) return no('PendingDNS', `${host} does not resolve yet`)
  // The provider's own addresses stand before a tunnel.
  if (exposure === 'cloudflare-tunnel') return undefined
  const own = cluster?.addresses ?? []
  if (own.length === 0) return no('PendingDNS', `this cluster has no public address that ${host} could resolve to`)
  if (dns.addresses.some((address) => own.includes(address))) return undefined
  return no('PendingDNS', `${host} resolves to ${listed(dns.addresses)} and not to this cluster (${listed(own)})`)
}

const listedMax = 4

function listed(addresses: readonly string[]): string {
  const sorted = [...addresses].toSorted()
  return sorted.length <= listedMax
    ? sorted.join(', ')
    : `${sorted.slice(0, listedMax).join(', ')} and ${sorted.length - listedMax} more`
}

/**
 * What is said after 15 minutes (docs/reference/limits.md#domain-verification): both that it took too long, and why it
 * still does not hold.
 */
export function timedOut(cause: Verdict, pendingMs: number, slowMs: number): Verdict {
  return no(
    'VerificationTimedOut',
    `not verified within ${span(pendingMs)}, so it is checked every ${span(slowMs)} from now on: ${cause.message}`,
  )
}

function span(ms: number): string {
  const [count, unit] = ms >= 60_000 ? [ms / 60_000, 'minute'] : [ms / 1000, 'second']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
