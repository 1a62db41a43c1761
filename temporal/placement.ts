/** How services are reached on this cluster, from the environment. */

import type { PlacementSettings } from '../activities/needs.ts'

/**
 * SVC_INGRESS_CLASS (traefik), SVC_CLUSTER_ISSUER (letsencrypt-prod), and SVC_AUTO_HOSTS: `domain` or `domain:port` under which
 * services without a host get one, e.g. `localhost:8088` on one machine; none without it.
 */
export function placementSettings(env: Readonly<Record<string, string | undefined>>): PlacementSettings {
  const [domain = '', port] = (env['SVC_AUTO_HOSTS'] ?? '').split(':')
  return {
    ingressClass: env['SVC_INGRESS_CLASS'] ?? 'traefik',
    clusterIssuer: env['SVC_CLUSTER_ISSUER'] ?? 'letsencrypt-prod',
    ...(domain === '' ? {} : { autoHosts: { domain, ...(port === undefined ? {} : { port: Number(port) }) } }),
  }
}
