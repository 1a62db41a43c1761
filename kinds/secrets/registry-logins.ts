/**
 * The config file of `docker login`, in a Secret under `.dockerconfigjson`. Kubernetes only checks that it is JSON, so
 * any writer with kubectl may have put anything there.
 */
import { z } from 'zod'

const text = z.string().optional().catch(undefined)
const login = z.object({ username: text, password: text, auth: text })
const dockerConfig = z.object({ auths: z.record(z.string(), login.catch({})).catch({}) }).catch({ auths: {} })

/** `auth` is base64 of `username:password`, beside these two or instead of them. */
export type RegistryLogin = z.output<typeof login>

/** The logins by the addresses of their registries. Never throws: an unreadable file or entry has no login. */
export function registryLogins(config: string): Record<string, RegistryLogin> {
  try {
    return dockerConfig.parse(JSON.parse(config)).auths
  } catch {
    return {}
  }
}
