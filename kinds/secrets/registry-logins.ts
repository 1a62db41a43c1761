/**
 * The file that `docker login` writes, as a Secret holds it under `.dockerconfigjson`. Kubernetes sees to it that it is
 * JSON, and not of what shape, so anyone with kubectl may have put anything there.
 */
import { z } from 'zod'

const text = z.string().optional().catch(undefined)
const login = z.object({ username: text, password: text, auth: text })
const dockerConfig = z.object({ auths: z.record(z.string(), login.catch({})).catch({}) }).catch({ auths: {} })

/** `auth` is base64 of `username:password`, beside the two or in place of them. */
export type RegistryLogin = z.output<typeof login>

/** The logins in it, by the addresses of their registries. Never throws: what cannot be read has no login. */
export function registryLogins(config: string): Record<string, RegistryLogin> {
  try {
    return dockerConfig.parse(JSON.parse(config)).auths
  } catch {
    return {}
  }
}
