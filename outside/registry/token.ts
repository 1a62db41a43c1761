/** Answers the challenge of a registry: with the login itself, or with a token of its token service. */
import { basic, type Login, parseChallenge } from './challenge.ts'
import { discard, type Line, readBody } from './http.ts'

export interface Asking {
  /** The origin of the registry. */
  origin: string
  /** Connections to the token service that the registry names. */
  openRealm(realm: URL): Line
  /** Undefined when there is none for this registry; must not throw. */
  loginOf(): Promise<Login | undefined>
  signal: AbortSignal
}

const tokenBytesMax = 64 * 1024

/** The Authorization header; undefined when there is none, for any reason: a registry must not learn the reason. */
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
    if (asking.signal.aborted) throw error // a silent registry counts as away
    return undefined
  } finally {
    await line.close()
  }
}

/** Whether the token service is encrypted, or on the host of a registry that is not encrypted itself. */
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
  // Other characters would make the header invalid, or add a header.
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) ? token : undefined
}
