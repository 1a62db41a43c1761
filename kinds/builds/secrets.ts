/** The secret values of a build, which its log must not have. */
import { registryLogins } from '../secrets/registry-logins.ts'
import type { BuildVariables } from './variables.ts'

/** The secrets of a build; they are stored in its Secret alone. */
export interface BuildCredentials {
  /** Keys of the git login: `token` and `username`, or `ssh-privatekey` and `known_hosts`. */
  git: Readonly<Record<string, string>>
  /** The text of a `.dockerconfigjson`; '' for none. */
  registry: string
  /** Secret variables of the service that its builds get. */
  secrets: BuildVariables['secrets']
}

/** Shorter values would also match ordinary words of a log. */
const shortest = 6

/**
 * The secrets of the container that clones, with the login as git sends it; the longest first, so that no part of one
 * remains.
 */
export function cloneSecrets({ git }: Pick<BuildCredentials, 'git'>): string[] {
  const { token = '', username = 'x-access-token', 'ssh-privatekey': key = '' } = git
  const sent = token === '' ? '' : Buffer.from(`${username}:${token}`).toString('base64')
  return hidden([token, sent, key])
}

/** The secrets of the container that builds. */
export function builderSecrets({ registry, secrets }: Pick<BuildCredentials, 'registry' | 'secrets'>): string[] {
  const logins = Object.values(registryLogins(registry))
  return hidden([...logins.flatMap(({ password = '', auth = '' }) => [password, auth]), ...Object.values(secrets)])
}

/** All secrets that the log of the build must not have. */
export const secretsOf = (credentials: BuildCredentials): string[] => [
  ...cloneSecrets(credentials),
  ...builderSecrets(credentials),
]

/** A log has lines, so a value of several lines is hidden line by line. */
const hidden = (values: readonly string[]): string[] =>
  [...new Set(values.flatMap((value) => value.split(/\r?\n/)))]
    .filter((line) => line.trim().length >= shortest)
    .sort((a, b) => b.length - a.length)

/** The text with `***` in place of each secret. */
export function masked(secrets: readonly string[], text: string): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text)
}
