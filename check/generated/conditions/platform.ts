/** The messages of the platform's settings. */
import type { SettingReason } from '../../../kinds/platform/conditions.ts'
import type { Section } from './section.ts'

export const platform: readonly Section<never>[] = [
  {
    heading: '## Platform configuration (`SvcPlatformConfig`)',
    intro:
      'Two conditions. Each counts only for the generation that it was said of (`observedGeneration`). The DNS provider is a stand-in for Cloudflare in every test.',
    rows: [],
  },
]

export const dashboardDomain: readonly Section<SettingReason<'DashboardDomainReady'>>[] = [
  {
    heading: '### DashboardDomainReady',
    intro:
      "False is checked again every 5 seconds, after 15 minutes every 5 minutes. H is the dashboard's host, U its address.",
    rows: [
      [
        'Verified',
        '`U answers`',
        'test/workflows/domain.test.ts: is Verified once the address answers, and rests then',
      ],
      ['NoDomain', '`no root domain is set`', 'test/workflows/domain.test.ts: says NoDomain without one, and rests'],
      [
        'PendingDNS',
        '`H does not resolve yet`',
        'test/workflows/domain.test.ts: waits with PendingDNS until the name resolves to the cluster, and verifies it then by itself',
      ],
      [
        'PendingDNS',
        '`H resolves to A and not to this cluster (B)`',
        'test/workflows/domain.test.ts: waits with PendingDNS until the name resolves to the cluster, and verifies it then by itself',
      ],
      [
        'PendingDNS',
        '`DNS record creation failed: …`',
        'test/workflows/domain.test.ts: says PendingDNS with the cause when the record cannot be made',
      ],
      [
        'PendingDNS',
        '`H cannot be looked up: the name server does not answer`, `… the name server answers CODE`',
        'test/kinds/platform/verdict.test.ts: that cannot be looked up: PendingDNS',
      ],
      [
        'PendingDNS',
        '`this cluster has no public address that H could resolve to`',
        'test/kinds/platform/verdict.test.ts: that has no address to resolve to: PendingDNS',
      ],
      [
        'PendingHTTPS',
        '`U does not answer: it answers 503`, or why else: certificate, connection, redirect, other page, time',
        'test/workflows/domain.test.ts: waits with PendingHTTPS while the address does not answer as the dashboard',
      ],
      [
        'PendingHTTPS',
        '`U does not answer: …; cluster issuer I is not ready (REASON: …)`',
        'test/workflows/domain.test.ts: waits with PendingHTTPS while the certificate is of another name, and says why by the issuer (a stand-in for the definition of cert-manager)',
      ],
      [
        'PendingTunnel',
        '`no DNS provider is connected that could make the tunnel`',
        'test/workflows/domain.test.ts: waits with PendingTunnel in tunnel mode without a tunnel',
      ],
      [
        'PendingTunnel',
        '`the DNS provider is being asked`, or what CloudflareReady says',
        'test/kinds/platform/verdict.test.ts: that has no tunnel yet: PendingTunnel',
      ],
      [
        'ZoneRequired',
        '`N zones are visible and none matches D: choose one`',
        'test/workflows/domain.test.ts: says ZoneRequired while several zones are visible and none matches',
      ],
      [
        'Error',
        '`Secret S has no apiToken`, `Secret S with the connection to the DNS provider was not found`',
        'test/workflows/domain.test.ts: says Error while the credentials are incomplete',
      ],
      [
        'Error',
        '`the DNS provider answers 403: Invalid access token (9109)`',
        'test/kinds/platform/verdict.test.ts: that has wrong credentials: Error',
      ],
      [
        'Error',
        "`the dashboard's Service S was not found in svc-system`",
        'test/workflows/domain.test.ts: says Error while the Service of the dashboard is not there, and makes its Ingress once it is',
      ],
      [
        'Error',
        '`the nodes of the cluster cannot be listed: …`',
        'test/workflows/domain-check.test.ts: that may not be asked for are said to be an Error',
      ],
      [
        'VerificationTimedOut',
        '`not verified within 15 minutes, so it is checked every 5 minutes from now on: …`',
        'test/workflows/domain.test.ts: says VerificationTimedOut after its time with the cause, and goes on checking',
      ],
    ],
  },
]

export const dnsProvider: readonly Section<SettingReason<'CloudflareReady'>>[] = [
  {
    heading: '### CloudflareReady',
    intro:
      'There only while a DNS provider is connected. False is tried again after 30 seconds, or when the provider allows it.',
    rows: [
      [
        'Connected',
        '`records are kept in Z`',
        'test/workflows/dns-provider.test.ts: keeps records of the dashboard and of every service, and removes those of a service that is deleted',
      ],
      [
        'Connected',
        '`the DNS provider is connected; records are made once a domain is set`',
        'test/workflows/dns-provider.test.ts: is Connected without a domain, and makes nothing',
      ],
      [
        'Ready',
        '`the tunnel is up and records are kept in Z`',
        'test/workflows/tunnel.test.ts: is Ready in tunnel mode once the tunnel is made, configured and connected, and leaves nothing of it in ingress mode',
      ],
      [
        'CredentialsIncomplete',
        '`Secret S has no accountId`, `Secret S with the connection to the DNS provider was not found`',
        'test/workflows/dns-provider.test.ts: says CredentialsIncomplete without the Secret or a part of it, and goes on once it is whole',
      ],
      [
        'CredentialsInvalid',
        '`the DNS provider answers 403: Invalid access token (9109)`',
        'test/workflows/dns-provider.test.ts: says CredentialsInvalid for a token that is not taken; it recovers with a new one',
      ],
      [
        'TunnelError',
        '`the DNS provider answers 403: …`; `waiting for the connector of the tunnel to come up`',
        'test/workflows/tunnel.test.ts: says TunnelError when the provider refuses that, and goes on when it no longer does',
      ],
      [
        'TunnelTokenError',
        '`the DNS provider answers 403: …`',
        'test/workflows/tunnel.test.ts: says TunnelTokenError when the provider refuses that, and goes on when it no longer does',
      ],
      [
        'TunnelConfigError',
        '`the DNS provider answers 403: …`; `SVC_DASHBOARD_SERVICE names no Service that the tunnel could lead to`',
        'test/workflows/tunnel.test.ts: says TunnelConfigError when the provider refuses that, and goes on when it no longer does',
      ],
      [
        'DNSError',
        '`the token sees no zone`, `the token sees no zone N`, `the token sees no zone with the ID I`, `the DNS provider answers 403: …`',
        'test/workflows/dns-provider.test.ts: says DNSError when records may not be made, and when no zone is visible',
      ],
      [
        'DNSError',
        '`N zones are visible and none matches D: choose one`',
        'test/workflows/domain.test.ts: says ZoneRequired while several zones are visible and none matches',
      ],
      [
        'DNSError',
        '`H is not in the zone Z, so it can have no record there`',
        'test/workflows/dns-provider.test.ts: takes the configured zone, and takes its records along into another one',
      ],
      [
        'DNSError',
        '`H has a DNS record that leads elsewhere and was not made by svc; remove it`',
        'test/workflows/dns-provider.test.ts: leaves a host alone that has a record of another owner, and says DNSError for the one of the dashboard',
      ],
      [
        'DNSError',
        '`the annotation svc.dev/setting of the platform configuration cannot be read; remove it`',
        'test/workflows/dns-provider.test.ts: says in words that what kubectl wrote into the annotation svc.dev/setting cannot be read, and recovers',
      ],
      [
        'CredentialsIncomplete',
        '`the annotation svc.dev/setting of Secret S cannot be read; save the DNS provider again`',
        'test/workflows/dns-provider.test.ts: says in words that what kubectl wrote into the annotation svc.dev/setting cannot be read, and recovers',
      ],
      [
        'DNSError',
        '`the DNS provider asks to wait`',
        'test/workflows/dns-provider.test.ts: waits as long as the provider asks to, and makes no call before',
      ],
      [
        'DNSError',
        '`the DNS provider does not answer`, `the DNS provider answers 500`',
        'test/outside/dns-provider/zones.test.ts: says that it is away for an error of its own',
      ],
      [
        'DNSError',
        '`this cluster has no public address that hosts could lead to`',
        'test/workflows/dns-provider-writes.test.ts: say DNSError where the cluster has no address that hosts could lead to, and make no record',
      ],
      [
        'Event ForeignRecords',
        '`left alone, since their DNS records were not made by svc: …`',
        'test/workflows/dns-provider.test.ts: leaves a host alone that has a record of another owner, and says DNSError for the one of the dashboard',
      ],
      [
        'Event RecordsLeft',
        '`DNS records of svc may be left at the DNS provider, since its token may not remove them: …`',
        'test/workflows/dns-provider.test.ts: drops a token that is not taken any more when it is disconnected, and says in an Event that records may be left',
      ],
    ],
  },
]
