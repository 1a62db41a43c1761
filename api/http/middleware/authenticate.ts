/** The caller of a request by its credentials: a Bearer token, else the session cookie, else none. */
import { nobody, type Caller } from '../../../contract/caller.ts'
import { Problem, refusals, refuse } from '../../../contract/problem.ts'
import type { TokenRecord } from '../../../contract/views/token-record.ts'
import { sessionCookieName, type Sessions } from '../../../records/auth/session-cookie.ts'
import type { User } from '../../../records/auth/users.ts'
import type { Tokens } from '../../../records/tokens/tokens.ts'

export interface Credentials {
  readonly authorization: string
  readonly cookie: string | undefined
  /** Address of the caller; called when a token has to be looked up. */
  readonly address: () => string
}

export type Authenticate = (credentials: Credentials) => Promise<Caller>

/**
 * As `Authenticate`, without a call to the API server and without a refusal: undefined for credentials that
 * `Authenticate` has to decide. A request without credentials has a caller, too.
 */
export type AuthenticateCached = (credentials: Pick<Credentials, 'authorization' | 'cookie'>) => Caller | undefined

/**
 * An invalid Bearer token throws 401, and the cookie is then not read (docs/reference/access.md#credentials). An
 * invalid cookie is the same as none.
 * @param recognise finds the token of a text; for a new request it counts a use, for a check of a running one it does
 * not
 */
export function createAuthenticate(recognise: Tokens['authenticate'], sessions: Sessions): Authenticate {
  return async ({ authorization, cookie, address }) => {
    if (isBearer(authorization)) {
      const token = await recognise(tokenIn(authorization), address)
      if (token === undefined) throw new Problem('unauthenticated', refusals.invalidToken)
      return tokenCaller(token)
    }
    const user = cookie === undefined ? undefined : await sessions.resume(cookie)
    return user === undefined ? nobody : sessionCaller(user)
  }
}

/** @param recognise finds the token of a text in the cache */
export function createAuthenticateCached(
  recognise: Tokens['authenticateCached'],
  sessions: Sessions,
): AuthenticateCached {
  return ({ authorization, cookie }) => {
    if (isBearer(authorization)) {
      const token = recognise(tokenIn(authorization))
      return token === undefined ? undefined : tokenCaller(token)
    }
    if (cookie === undefined) return nobody
    const user = sessions.resumeCached(cookie)
    return user === undefined ? undefined : sessionCaller(user)
  }
}

const tokenIn = (authorization: string): string => authorization.slice('bearer'.length).trim()

export const sessionCaller = ({ username, role }: User): Caller => ({ kind: 'session', username, role })

export const isBearer = (authorization: string): boolean => /^bearer(\s|$)/i.test(authorization)

function tokenCaller(token: TokenRecord): Caller {
  const { id, name, role, scope, project, environment, expiresAt } = token
  return {
    kind: 'token',
    username: name,
    role,
    tokenId: id,
    scope,
    ...(scope === 'project' ? { project, environment } : {}),
    ...(expiresAt === null ? {} : { expiresAt }),
  }
}

const prefix = `${sessionCookieName}=`

/**
 * The session cookie of a request; undefined without one. Any service on a neighbouring host may set a cookie of this
 * name for the whole domain. Throws Problem for two different values: which of them the dashboard set is not known.
 */
export function sessionCookieOf(header: string): string | undefined {
  if (!header.includes(prefix)) return undefined
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length))
  if (new Set(values).size > 1)
    throw refuse(
      'two different svc_session cookies were sent; delete the cookies of this site and its domain, and sign in again',
    )
  return values[0]
}
