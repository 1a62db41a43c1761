/** Takes the logins of a build out of what its steps wrote. */

import type { BuildCredentials } from '../../kinds/builds/job.ts'

/** Shorter values would take words out of a log. */
const shortest = 6

/** Puts `***` in the place of each secret value, also of a login as git sends it. */
export function maskOf({ git, registry }: BuildCredentials): (text: string) => string {
  const { token = '', username = 'x-access-token', 'ssh-privatekey': key = '' } = git
  const sent = token === '' ? '' : Buffer.from(`${username}:${token}`).toString('base64')
  const logins = Object.values(parsed(registry).auths ?? {}).flatMap(({ password = '', auth = '' }) => [password, auth])
  const secrets = [token, sent, ...key.split('\n'), ...logins].filter((value) => value.trim().length >= shortest)
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text)
}

function parsed(text: string): { auths?: Record<string, { password?: string; auth?: string }> } {
  try {
    return text === '' ? {} : (JSON.parse(text) as object)
  } catch {
    return {} // the registry refuses such a login, and there is nothing to find in it
  }
}
