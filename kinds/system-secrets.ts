/**
 * The Secrets in svc-system that hold what svc itself is reached with; no record has a reason to name one. See
 * docs/ownership.md.
 */
import type { Rule } from './schema/definition.ts'
import { settingSecrets } from './platform/settings.ts'
import { tunnelObject } from './platform/tunnel.ts'

/** Users of the dashboard, name and password of the first of them, and sign-ins of devices that wait for approval. */
export const signInSecrets = {
  users: 'svc-dashboard-auth',
  first: 'svc-first-sign-in',
  devices: 'svc-device-sign-ins',
} as const

export const tokenSecretName = (id: string): string => `svc-token-${id}`

/**
 * The account that was used at the DNS provider. Stays until everything that was made there is gone, also when the
 * connection was cleared long before.
 */
export const usedAccountSecret = 'platform-dns-account'

const names = [
  ...Object.values(signInSecrets),
  tokenSecretName('[0-9a-z]+'),
  ...Object.values(settingSecrets),
  usedAccountSecret,
  tunnelObject,
]

/** For references by name into svc-system. */
export const notSystemSecret: Rule = {
  rule: `!self.name.matches('^(${names.join('|')})$')`,
  message: 'this Secret belongs to svc itself',
}
