/** How services are reached on this cluster, their limits, and their registries, from environment variables. */
import { z } from 'zod'
import type { PlacementSettings } from '../../activities/context/needs.ts'
import type { SleepSettings } from '../../kinds/apps/manifests/sleep.ts'
import { defined } from '../../contract/defined.ts'
import type { RunnerImages } from '../../kinds/apps/functions/function.ts'
import { defaultQuota, type EnvironmentQuota } from '../../kinds/pods/environment-quota.ts'
import { addressIn } from '../../kinds/meta/address-setting.ts'
import { quantity } from '../../kinds/pods/quantity.ts'
import { type ServiceLevel, serviceLevels } from '../../kinds/pods/security.ts'
import { functionEndpoint } from '../../outside/functions/endpoint.ts'
import { createRegistries, type Registries } from '../../outside/registry/registry.ts'

/**
 * SVC_INGRESS_CLASS (traefik), SVC_CLUSTER_ISSUER (letsencrypt-prod), and SVC_AUTO_HOSTS: `domain` or `domain:port`
 * under which services without a host get one, e.g. `localhost:8088` on one machine; none without it. SVC_SCRATCH_LIMIT
 * (10Gi) is how much a copy may write beside volumes, SVC_ENVIRONMENT_QUOTA the ResourceQuota of an environment,
 * SVC_POD_SECURITY (restricted) the Pod Security level of new environments, SVC_FUNCTION_IMAGES the runners of
 * functions in place of the default ones. SVC_FUNCTION_ENDPOINT, `host:port`, is the endpoint for calls of functions,
 * for a worker that cannot reach the addresses of Services.
 */
export function placementSettings(env: Readonly<Record<string, string | undefined>>): PlacementSettings {
  const [domain = '', port] = (env['SVC_AUTO_HOSTS'] ?? '').split(':')
  return {
    ingressClass: env['SVC_INGRESS_CLASS'] ?? 'traefik',
    scratchLimit: scratchLimit(env['SVC_SCRATCH_LIMIT'] ?? '10Gi'),
    quota: environmentQuota(env['SVC_ENVIRONMENT_QUOTA']),
    podSecurity: serviceLevel(env['SVC_POD_SECURITY'] ?? 'restricted'),
    sleep: sleepSettings(env),
    runners: runnerImages(env),
    clusterIssuer: env['SVC_CLUSTER_ISSUER'] ?? 'letsencrypt-prod',
    ...defined({ functionEndpoint: functionEndpoint(env) }),
    ...(domain === '' ? {} : { autoHosts: { domain, ...(port === undefined ? {} : { port: Number(port) }) } }),
  }
}

/**
 * JSON of amounts in place of the default ones; `off` for none. Throws for any other text, so that no quota is dropped
 * by a typing error.
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

function serviceLevel(text: string): ServiceLevel {
  const level = serviceLevels.find((each) => each === text)
  if (level === undefined) throw new Error(`SVC_POD_SECURITY is "${text}", which is neither restricted nor baseline`)
  return level
}

/**
 * SVC_SLEEP_INTERCEPTOR and SVC_SLEEP_SCALER, `host:port` each: the interceptor of KEDA's HTTP add-on, which holds
 * requests, and its scaler, from which KEDA gets the number of copies; by default as in the add-on's chart. Throws for
 * a text that is no address.
 */
function sleepSettings(env: Readonly<Record<string, string | undefined>>): SleepSettings {
  const scaler = addressIn(env, 'SVC_SLEEP_SCALER', 'keda-add-ons-http-external-scaler.keda:9090')
  return {
    interceptor: addressIn(
      env,
      'SVC_SLEEP_INTERCEPTOR',
      'keda-add-ons-http-interceptor-proxy.keda.svc.cluster.local:8080',
    ),
    scaler: `${scaler.host}:${scaler.port}`,
  }
}

/**
 * JSON of images by runtime. There is no default: a name without a registry belongs to its owner at Docker Hub, who
 * need not be of the install. Throws for any other text.
 */
function runnerImages({ SVC_FUNCTION_IMAGES: text = '' }: Readonly<Record<string, string | undefined>>): RunnerImages {
  const image = z.string().min(1).optional()
  try {
    return defined(
      z.strictObject({ bun: image, node: image, python: image }).parse(JSON.parse(text === '' ? '{}' : text)),
    )
  } catch (cause) {
    throw new Error('SVC_FUNCTION_IMAGES is not JSON such as {"node": "registry.example.com/function-node:1"}', {
      cause,
    })
  }
}

/** Throws for a text that is no size: the API server would refuse every Deployment with it. */
function scratchLimit(text: string): string {
  if ((quantity(text) ?? 0) <= 0) throw new Error(`SVC_SCRATCH_LIMIT is "${text}", which is no size such as 10Gi`)
  return text
}

/**
 * SVC_REGISTRY_MIRROR, used before every image's own registry, as the nodes do; SVC_REGISTRY_PRIVATE (networks,
 * addresses and hosts, comma-separated), registries that may have private addresses; SVC_IMAGE_DIGESTS=off for no calls
 * to registries. Throws for a text that is no network.
 */
export function registriesOf(env: Readonly<Record<string, string | undefined>>): Registries | undefined {
  if (env['SVC_IMAGE_DIGESTS'] === 'off') return undefined
  const mirror = env['SVC_REGISTRY_MIRROR'] ?? ''
  return createRegistries({ ...(mirror === '' ? {} : { mirror }), privately: env['SVC_REGISTRY_PRIVATE'] ?? '' })
}
