/**
 * How a registry requests a login: the WWW-Authenticate header, and the answers to it (OCI distribution, token
 * authentication).
 */
import { defined } from '../../contract/defined.ts'
import { registryLogins } from '../../kinds/secrets/registry-logins.ts'

export interface Login {
  username: string
  password: string
}

export type Challenge = { scheme: 'basic' } | { scheme: 'bearer'; realm: string; service?: string; scope?: string }

/** Undefined for a scheme that svc does not know. */
export function parseChallenge(header: string): Challenge | undefined {
  const [, scheme = '', rest = ''] = /^\s*([A-Za-z]+)\s*(.*)$/s.exec(header) ?? []
  if (scheme.toLowerCase() === 'basic') return { scheme: 'basic' }
  if (scheme.toLowerCase() !== 'bearer') return undefined
  const fields = new Map(
    [...rest.matchAll(/([a-zA-Z_]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name.toLowerCase(), value]),
  )
  const realm = fields.get('realm')
  if (realm === undefined) return undefined
  const [service, scope] = [fields.get('service'), fields.get('scope')]
  return {
    scheme: 'bearer',
    realm,
    ...defined({ service, scope }),
  }
}

export function basic({ username, password }: Login): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** The login for a registry in the text of a `.dockerconfigjson`; undefined when it contains none. */
export function loginIn(text: string, registry: string): Login | undefined {
  const names = registry === 'docker.io' ? ['docker.io', 'index.docker.io', 'registry-1.docker.io'] : [registry]
  const found = Object.entries(registryLogins(text)).find(([address]) => names.includes(hostIn(address)))?.[1]
  if (found?.username !== undefined && found.password !== undefined)
    return { username: found.username, password: found.password }
  const [, username, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(found?.auth ?? '', 'base64').toString()) ?? []
  return username === undefined || password === undefined ? undefined : { username, password }
}

/** `https://index.docker.io/v1/` and `index.docker.io` name the same registry. */
function hostIn(address: string): string {
  return address.replace(/^https?:\/\//, '').replace(/\/.*$/, '')
}
