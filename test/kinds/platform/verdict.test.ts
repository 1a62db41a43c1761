/** Every reason of DashboardDomainReady, from the findings of a check. */
import { expect } from 'chai'
import type { SettingReason } from '../../../kinds/platform/conditions.ts'
import { type DomainFacts, domainVerdict, noDomain, timedOut } from '../../../kinds/platform/verdict.ts'

const url = 'https://svc.example.com'
const unanswered = 'the connection is refused'
const base: DomainFacts = {
  url,
  exposure: 'ingress',
  unanswered,
  cluster: { addresses: ['192.0.2.1'] },
  dns: { addresses: ['192.0.2.1'] },
}
const provider = (reason: SettingReason<'CloudflareReady'>, message: string, zoneRequired = false) => ({
  provider: { reason, message, zoneRequired },
})
const tunnel = { exposure: 'cloudflare-tunnel' as const }

const rows: readonly [what: string, facts: Partial<DomainFacts>, reason: string, message: string][] = [
  ['is unreachable', {}, 'PendingHTTPS', `${url} does not answer: ${unanswered}`],
  [
    'waits for its certificate',
    { issuer: 'x is not ready' },
    'PendingHTTPS',
    `${url} does not answer: ${unanswered}; x is not ready`,
  ],
  ['does not resolve', { dns: { addresses: [] } }, 'PendingDNS', 'svc.example.com does not resolve yet'],
  ['cannot be looked up', { dns: { problem: 'no' } }, 'PendingDNS', 'svc.example.com cannot be looked up: no'],
  [
    'resolves to another place',
    { dns: { addresses: ['198.51.100.7'] } },
    'PendingDNS',
    'svc.example.com resolves to 198.51.100.7 and not to this cluster (192.0.2.1)',
  ],
  [
    'has no address to resolve to',
    { cluster: { addresses: [] } },
    'PendingDNS',
    'this cluster has no public address that svc.example.com could resolve to',
  ],
  ['has no record', provider('DNSError', 'no right'), 'PendingDNS', 'DNS record creation failed: no right'],
  ['needs a zone', provider('DNSError', 'choose one', true), 'ZoneRequired', 'choose one'],
  ['has no credentials', provider('CredentialsIncomplete', 'no token'), 'Error', 'no token'],
  ['has wrong credentials', provider('CredentialsInvalid', 'refused'), 'Error', 'refused'],
  ['misses something of the cluster', { broken: 'gone' }, 'Error', 'gone'],
  ['has no tunnel and no provider', tunnel, 'PendingTunnel', 'no DNS provider is connected that could make the tunnel'],
  ['has no tunnel yet', { ...tunnel, ...provider('TunnelError', 'being made') }, 'PendingTunnel', 'being made'],
  [
    'is behind a tunnel that does not lead there yet',
    { ...tunnel, tunnel: 'x.cfargotunnel.com', dns: { addresses: ['198.51.100.7'] } },
    'PendingHTTPS',
    `${url} does not answer: ${unanswered}`,
  ],
]

describe('what is said of the dashboard address', () => {
  for (const [what, facts, reason, message] of rows) {
    it(`that ${what}: ${reason}`, () => {
      expect(domainVerdict({ ...base, ...facts })).to.deep.equal({ ready: false, reason, message })
    })
  }

  it('that answers: Verified, whatever else is wrong', () => {
    const { unanswered: _, ...answered } = {
      ...base,
      ...provider('CredentialsInvalid', 'refused'),
      dns: { addresses: [] },
    }
    expect(domainVerdict(answered)).to.deep.equal({ ready: true, reason: 'Verified', message: `${url} answers` })
  })

  it('that is not set: NoDomain', () => {
    expect(noDomain).to.deep.equal({ ready: false, reason: 'NoDomain', message: 'no root domain is set' })
  })

  it('that took too long: VerificationTimedOut, with the cause', () => {
    expect(timedOut(domainVerdict(base), 900_000, 300_000)).to.deep.equal({
      ready: false,
      reason: 'VerificationTimedOut',
      message: `not verified within 15 minutes, so it is checked every 5 minutes from now on: ${url} does not answer: ${unanswered}`,
    })
  })

  it('names a few of many addresses', () => {
    const addresses = Array.from({ length: 9 }, (_, at) => `192.0.2.1${at}`)
    expect(domainVerdict({ ...base, cluster: { addresses }, dns: { addresses: ['198.51.100.7'] } }).message).to.match(
      /192\.0\.2\.13 and 5 more\)$/,
    )
  })
})
