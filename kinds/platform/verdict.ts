/**
 * The verdict on the dashboard's address, from the facts of a check (docs/reference/platform.md#domain-verification).
 */
import type { SettingReason, SettingVerdict } from './conditions.ts'

type Verdict = SettingVerdict<'DashboardDomainReady'>

/** The facts of a check; all but the probe are collected only when the probe failed. */
export interface DomainFacts {
  /** `https://host[:port]`. */
  url: string
  exposure: 'ingress' | 'cloudflare-tunnel'
  /** Why the address did not answer the probe; undefined when it did. */
  unanswered?: string
  /** The condition CloudflareReady, when a DNS provider is connected and the condition is not True. */
  provider?: { reason: SettingReason<'CloudflareReady'> | ''; message: string; zoneRequired: boolean }
  /** Name of the tunnel, '' for none; used in tunnel mode only. */
  tunnel?: string
  /** An object of the cluster that is missing or not ready, in words. */
  broken?: string
  /** Public addresses of the cluster. */
  cluster?: { addresses: readonly string[] }
  dns?: { addresses: readonly string[] } | { problem: string }
  /** Message about the certificate issuer, when it exists and is not ready. */
  issuer?: string
}

const no = (reason: SettingReason<'DashboardDomainReady'>, message: string): Verdict => ({
  ready: false,
  reason,
  message,
})

export const noDomain: Verdict = no('NoDomain', 'no root domain is set')

/**
 * Ready when the address answers the probe (docs/reference/platform.md#domain-verification); else the first fact that
 * explains why it does not.
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

/** Undefined when the name resolves to the right addresses. */
function resolves({ url, exposure, cluster, dns }: DomainFacts): Verdict | undefined {
  const host = new URL(url).hostname
  if (dns === undefined) return undefined
  if ('problem' in dns) return no('PendingDNS', `${host} cannot be looked up: ${dns.problem}`)
  if (dns.addresses.length === 0) return no('PendingDNS', `${host} does not resolve yet`)
  // With a tunnel, the name resolves to addresses of the provider.
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
 * The verdict after 15 minutes (docs/reference/limits.md#domain-verification): that verification took too long, and the
 * current cause.
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
