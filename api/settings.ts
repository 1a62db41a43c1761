/** What the process is told through its environment. */
import { allowsPrivate } from '../outside/webhooks/sender.ts'

export interface ApiSettings {
  readonly port: number
  readonly host: string
  readonly users: string | undefined
  readonly makeAdmin: boolean
  readonly insecureCookie: boolean
  readonly trustedProxies: readonly string[]
  readonly logLevel: string
  /** Webhooks may reach private and loopback addresses. */
  readonly privateWebhooks: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

const defaultPort = 8085
const portMax = 65_535

/**
 * SVC_PORT (8085; 0 picks a free one), SVC_HOST (127.0.0.1), SVC_DASHBOARD_USERS, SVC_FIRST_ADMIN=1, SVC_INSECURE_COOKIE=1,
 * SVC_TRUSTED_PROXIES (comma-separated addresses), SVC_WEBHOOK_PRIVATE=1, SVC_LOG_LEVEL (info). Throws a plain sentence for what it cannot read.
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
    trustedProxies: (env['SVC_TRUSTED_PROXIES'] ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
    logLevel: env['SVC_LOG_LEVEL'] ?? 'info',
    privateWebhooks: allowsPrivate(env),
  }
}
