/** How services are reached on this cluster and where their images come from, from the environment. */

import type { PlacementSettings } from '../activities/needs.ts'
import { createRegistries, type Registries } from '../outside/registry/registry.ts'

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

/**
 * SVC_REGISTRY_MIRROR, asked before every image's own registry as the nodes do; SVC_REGISTRY_PRIVATE (networks, addresses and hosts,
 * comma-separated), whose registries may be at private addresses; SVC_IMAGE_DIGESTS=off where nobody is to be asked. Throws for a
 * network that is none.
 */
export function registriesOf(env: Readonly<Record<string, string | undefined>>): Registries | undefined {
  if (env['SVC_IMAGE_DIGESTS'] === 'off') return undefined
  const mirror = env['SVC_REGISTRY_MIRROR'] ?? ''
  return createRegistries({ ...(mirror === '' ? {} : { mirror }), privately: env['SVC_REGISTRY_PRIVATE'] ?? '' })
}
