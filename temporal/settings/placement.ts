/** How services are reached on this cluster and where their images come from, from the environment. */

import { z } from 'zod'
import type { PlacementSettings } from '../../activities/context/needs.ts'
import { defaultQuota, type EnvironmentQuota } from '../../kinds/pods/environment-quota.ts'
import { quantity } from '../../kinds/pods/quantity.ts'
import { createRegistries, type Registries } from '../../outside/registry/registry.ts'

/**
 * SVC_INGRESS_CLASS (traefik), SVC_CLUSTER_ISSUER (letsencrypt-prod), and SVC_AUTO_HOSTS: `domain` or `domain:port`
 * under which services without a host get one, e.g. `localhost:8088` on one machine; none without it. SVC_SCRATCH_LIMIT
 * (10Gi) is what a copy may write beside volumes, SVC_ENVIRONMENT_QUOTA what one environment may take.
 */
export function placementSettings(env: Readonly<Record<string, string | undefined>>): PlacementSettings {
  const [domain = '', port] = (env['SVC_AUTO_HOSTS'] ?? '').split(':')
  return {
    ingressClass: env['SVC_INGRESS_CLASS'] ?? 'traefik',
    scratchLimit: scratchLimit(env['SVC_SCRATCH_LIMIT'] ?? '10Gi'),
    quota: environmentQuota(env['SVC_ENVIRONMENT_QUOTA']),
    clusterIssuer: env['SVC_CLUSTER_ISSUER'] ?? 'letsencrypt-prod',
    ...(domain === '' ? {} : { autoHosts: { domain, ...(port === undefined ? {} : { port: Number(port) }) } }),
  }
}

/**
 * JSON of amounts in the place of the usual ones; `off` for none. Throws for anything else: a bound must not go
 * unnoticed.
 */
function environmentQuota(text: string | undefined): EnvironmentQuota {
  if (text === undefined) return defaultQuota
  if (text === 'off') return {}
  try {
    const amounts = z.record(z.string(), z.union([z.string(), z.number()])).parse(JSON.parse(text))
    const unreadable = Object.entries(amounts).find(([, amount]) => quantity(amount) === undefined)
    if (unreadable === undefined)
      return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]))
    throw new Error(`the amount of ${unreadable[0]} cannot be read`)
  } catch (cause) {
    throw new Error('SVC_ENVIRONMENT_QUOTA is neither off nor JSON such as {"pods": "200", "requests.cpu": "20"}', {
      cause,
    })
  }
}

/** Throws for what is no size: the cluster would refuse every deploy. */
function scratchLimit(text: string): string {
  if ((quantity(text) ?? 0) <= 0) throw new Error(`SVC_SCRATCH_LIMIT is "${text}", which is no size such as 10Gi`)
  return text
}

/**
 * SVC_REGISTRY_MIRROR, asked before every image's own registry as the nodes do; SVC_REGISTRY_PRIVATE (networks,
 * addresses and hosts, comma-separated), whose registries may be at private addresses; SVC_IMAGE_DIGESTS=off where no
 * registry is to be asked. Throws for a network that is none.
 */
export function registriesOf(env: Readonly<Record<string, string | undefined>>): Registries | undefined {
  if (env['SVC_IMAGE_DIGESTS'] === 'off') return undefined
  const mirror = env['SVC_REGISTRY_MIRROR'] ?? ''
  return createRegistries({ ...(mirror === '' ? {} : { mirror }), privately: env['SVC_REGISTRY_PRIVATE'] ?? '' })
}
