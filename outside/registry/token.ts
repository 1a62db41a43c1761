/** What answers a registry's challenge: the login itself, or a token that a token service gives for it. */

import { basic, type Login, parseChallenge } from './challenge.ts'
import { discard, type Line, readBody } from './http.ts'

export interface Asking {
  /** Of the registry, as it was asked. */
  origin: string
  /** Connections to the token service that the registry names. */
  openRealm(realm: URL): Line
  /** Undefined when there is none for this registry; must not throw. */
  loginOf(): Promise<Login | undefined>
  signal: AbortSignal
}

const tokenBytesMax = 64 * 1024

/**
 * What to send as Authorization; undefined when nothing will do, for whatever reason: a registry must not learn why.
 */
export async function authorize(header: string, asking: Asking): Promise<string | undefined> {
  const challenge = parseChallenge(header)
  if (challenge === undefined) return undefined
  const login = await asking.loginOf()
  if (challenge.scheme === 'basic') return login === undefined ? undefined : basic(login)
  const realm = URL.parse(challenge.realm)
  if (realm === null || !mayAsk(realm, new URL(asking.origin))) return undefined
  if (challenge.service !== undefined) realm.searchParams.set('service', challenge.service)
  if (challenge.scope !== undefined) realm.searchParams.set('scope', challenge.scope)
  const line = asking.openRealm(realm)
  try {
    const token = await fetchToken(line, realm, login, asking.signal)
    return token === undefined ? undefined : `Bearer ${token}`
  } catch (error) {
    if (asking.signal.aborted) throw error // it is silent, and is to be remembered as such
    return undefined
  } finally {
    await line.close()
  }
}

/** Encrypted, but where the registry itself is asked without encryption: on its own host. */
function mayAsk(realm: URL, registry: URL): boolean {
  if (realm.username !== '' || realm.password !== '') return false
  if (realm.protocol === 'https:') return true
  return realm.protocol === 'http:' && registry.protocol === 'http:' && realm.hostname === registry.hostname
}

async function fetchToken(
  line: Line,
  realm: URL,
  login: Login | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { response } = await line.ask(realm, {
    method: 'GET',
    signal,
    authorization: login === undefined ? undefined : basic(login),
  })
  if (!response.ok) {
    await discard(response)
    return undefined
  }
  const body: unknown = JSON.parse((await readBody(response, tokenBytesMax)).toString())
  if (typeof body !== 'object' || body === null) return undefined
  const token = 'token' in body ? body.token : 'access_token' in body ? body.access_token : undefined
  // Anything else would not be a header, or would be more than one.
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) ? token : undefined
}
