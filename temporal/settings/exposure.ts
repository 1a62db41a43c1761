/** How requests reach the platform, and how that is checked, from environment variables. */
import type { ExposureSettings, PlatformNeeds } from '../../activities/platform/needs.ts'
import { dashboardServiceIn } from '../../kinds/platform/dashboard-ingress.ts'
import { createProviderApi } from '../../outside/dns-provider/call.ts'
import { probe } from '../../outside/domain/probe.ts'
import { connectionLookup, createLookup } from '../../outside/domain/resolver.ts'

export interface Exposure extends Pick<PlatformNeeds, 'lookup' | 'probe' | 'provider'> {
  exposure: ExposureSettings
}

const defaults = {
  ingressService: 'kube-system/traefik',
  tunnelImage:
    'cloudflare/cloudflared:2026.9.1@sha256:b269e8abd07a5bf6f3f4be65d5050b2174eca89c56a0241a8ff32a16aec454e4',
}

/**
 * SVC_PUBLIC_ADDRESSES (comma-separated; else found on the cluster), SVC_INGRESS_SERVICE (`namespace/name`),
 * SVC_DASHBOARD_SERVICE (`name[:port]` in svc-system; else nothing is made for the dashboard), SVC_TUNNEL_IMAGE,
 * SVC_DNS_SERVERS, SVC_CLOUDFLARE_URL.
 */
export function exposureSettings(env: Readonly<Record<string, string | undefined>>): Exposure {
  const [namespace = '', name = ''] = (env['SVC_INGRESS_SERVICE'] ?? defaults.ingressService).split('/')
  const publicAddresses = (env['SVC_PUBLIC_ADDRESSES'] ?? '').split(',').map((address) => address.trim())
  const lookup = createLookup(env['SVC_DNS_SERVERS'])
  const url = env['SVC_CLOUDFLARE_URL']
  return {
    exposure: {
      publicAddresses: publicAddresses.filter((address) => address !== ''),
      ingressService: { namespace, name },
      dashboardService: dashboardServiceIn(env['SVC_DASHBOARD_SERVICE'] ?? ''),
      tunnelImage: env['SVC_TUNNEL_IMAGE'] ?? defaults.tunnelImage,
    },
    lookup,
    probe: (address, tryMs, signal) => probe(address, { tryMs, signal, lookup: connectionLookup(lookup) }),
    provider: (account) => createProviderApi(account, { url }),
  }
}
