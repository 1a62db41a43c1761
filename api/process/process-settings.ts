/** The settings of the process, from its environment. */
import { fileURLToPath } from 'node:url'
import { portMax } from '../../contract/limits.ts'
import { awsSettings, type AwsSettings } from '../../outside/aws/account.ts'
import { functionEndpoint } from '../../outside/functions/endpoint.ts'
import { gitHostSettings, type GitHostSettings } from '../../outside/githost/addresses.ts'
import { logLevel } from '../../outside/process/log-level.ts'
import { allowsPrivate } from '../../outside/webhooks/sender.ts'
import { networkIn, type Network } from '../../records/counters/network.ts'

export interface ApiSettings {
  readonly port: number
  readonly host: string
  readonly users: string | undefined
  readonly makeAdmin: boolean
  readonly insecureCookie: boolean
  /** Networks of the trusted proxies, whose forwarded addresses count. */
  readonly trustedProxies: readonly Network[]
  readonly logLevel: string
  /** Whether webhooks may reach private and loopback addresses. */
  readonly privateWebhooks: boolean
  /** The log store; without an address there is no history of logs, and the hint says how to get one. */
  readonly logs: { readonly url: string | undefined; readonly tenant: string | undefined; readonly hint: string }
  /** Undefined for none. */
  readonly prometheusUrl: string | undefined
  readonly aws: AwsSettings
  readonly gitHost: GitHostSettings
  /** Undefined where the addresses of Services are reachable. */
  readonly functionEndpoint: { readonly host: string; readonly port: number } | undefined
  /** The folder of the built dashboard; while it is missing, the front page is plain text. */
  readonly dashboard: string
}

type Environment = Readonly<Record<string, string | undefined>>

const defaultPort = 8085
/** This name of a Service resolves inside the cluster only. */
const clusterPrometheus = 'http://prometheus-operated.monitoring.svc:9090'

/**
 * SVC_PORT (8085; 0 picks a free one), SVC_HOST (127.0.0.1), SVC_DASHBOARD_USERS, SVC_FIRST_ADMIN=1,
 * SVC_INSECURE_COOKIE=1, SVC_TRUSTED_PROXIES (comma-separated addresses and networks), SVC_WEBHOOK_PRIVATE=1,
 * SVC_LOG_LEVEL (info), SVC_LOGS_URL and SVC_LOGS_TENANT (a log store with Loki's API), SVC_LOGS_HINT (how to get one),
 * SVC_PROMETHEUS_URL (inside a cluster: the Service that the Prometheus operator makes in the namespace monitoring;
 * else none), SVC_DASHBOARD (the built dashboard; `dist/dashboard`), SVC_FUNCTION_ENDPOINT (as of the worker), and
 * those of AWS and the git host. Throws a plain sentence for an invalid value.
 */
export function apiSettings(env: Environment): ApiSettings {
  const port = Number(env['SVC_PORT'] ?? defaultPort)
  if (!Number.isInteger(port) || port < 0 || port > portMax) throw new Error('SVC_PORT must be a port number')
  return {
    port,
    host: env['SVC_HOST'] ?? '127.0.0.1',
    users: env['SVC_DASHBOARD_USERS'],
    makeAdmin: env['SVC_FIRST_ADMIN'] === '1',
    insecureCookie: env['SVC_INSECURE_COOKIE'] === '1',
    trustedProxies: trustedProxies(env['SVC_TRUSTED_PROXIES'] ?? ''),
    logLevel: logLevel(env),
    privateWebhooks: allowsPrivate(env),
    aws: awsSettings(env),
    gitHost: gitHostSettings(env),
    functionEndpoint: functionEndpoint(env),
    dashboard: textOf('SVC_DASHBOARD', env) ?? fileURLToPath(new URL('../../dist/dashboard', import.meta.url)),
    logs: {
      url: webAddress('SVC_LOGS_URL', env),
      tenant: textOf('SVC_LOGS_TENANT', env),
      hint: env['SVC_LOGS_HINT'] ?? '',
    },
    prometheusUrl:
      webAddress('SVC_PROMETHEUS_URL', env) ??
      (env['KUBERNETES_SERVICE_HOST'] === undefined ? undefined : clusterPrometheus),
  }
}

function trustedProxies(text: string): Network[] {
  const parts = text.split(',').map((each) => each.trim())
  return parts.filter((each) => each !== '').map(trustedProxy)
}

function trustedProxy(text: string): Network {
  const network = networkIn(text)
  if (network !== undefined) return network
  throw new Error(
    `SVC_TRUSTED_PROXIES must be addresses and networks such as 10.42.0.0/16, separated by commas, and ${JSON.stringify(text)} is neither`,
  )
}

const textOf = (name: string, env: Environment): string | undefined => (env[name] === '' ? undefined : env[name])

function webAddress(name: string, env: Environment): string | undefined {
  const value = textOf(name, env)
  if (value === undefined) return undefined
  if (!['http:', 'https:'].includes(URL.parse(value)?.protocol ?? ''))
    throw new Error(`${name} must be an address that begins with http:// or https://`)
  return value
}
