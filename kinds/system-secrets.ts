/** The Secrets in svc-system that give access to svc itself; no record may refer to them. See docs/ownership.md. */
import type { Rule } from './schema/definition.ts'
import { settingSecrets, tunnelObject } from './platform/settings.ts'

/** Users of the dashboard, name and password of the first of them, and pending device sign-ins. */
export const signInSecrets = {
  users: 'svc-dashboard-auth',
  first: 'svc-first-sign-in',
  devices: 'svc-device-sign-ins',
} as const

export const tokenSecretName = (id: string): string => `svc-token-${id}`

/**
 * The account with which svc made objects at the DNS provider. It stays until all of them are gone, also when the
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

/** Validation rule for references by name into svc-system. */
export const notSystemSecret: Rule = {
  rule: `!self.name.matches('^(${names.join('|')})$')`,
  message: 'this Secret belongs to svc itself',
}
