/** Whose credentials a request carries: a Bearer token, else the session cookie, else none. */
import { nobody, type Caller } from '../../../contract/caller.ts'
import { Problem, refusals, refuse } from '../../../contract/problem.ts'
import type { TokenRecord } from '../../../contract/views/token-record.ts'
import { sessionCookieName, type Sessions } from '../../../records/auth/session-cookie.ts'
import type { User } from '../../../records/auth/users.ts'
import type { Tokens } from '../../../records/tokens/tokens.ts'

export interface Credentials {
  readonly authorization: string
  readonly cookie: string | undefined
  /** Of the caller; asked for when a token has to be looked for. */
  readonly address: () => string
}

export type Authenticate = (credentials: Credentials) => Promise<Caller>

/**
 * The same without asking the cluster and without a refusal: undefined for credentials that `Authenticate` has to look
 * at. A request without credentials has a caller, too.
 */
export type AuthenticateCached = (credentials: Pick<Credentials, 'authorization' | 'cookie'>) => Caller | undefined

/**
 * A Bearer token that does not hold throws 401, and no cookie is looked at (docs/reference/access.md#credentials). A
 * cookie that no longer holds is the same as none.
 * @param recognise the token of a text; a new request counts as its use, another look at a running one does not
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

/** @param recognise the token of a text, as far as the cache knows it */
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

const sessionCaller = ({ username, role }: User): Caller => ({ kind: 'session', username, role })

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
 * The session cookie of a request. Its name is known to every service on a neighbouring host, which may set one for the
 * whole domain. Undefined without one. Throws Problem for two that differ: which of them is the dashboard's own is not
 * known.
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
