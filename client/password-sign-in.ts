/**
 * From a user's password to an API token, for a person at a terminal without a browser:
 * 1. sign in on the dashboard route, the only one that takes passwords;
 * 2. with that session, make a token (an admin session may; a token may not);
 * 3. forget the session: it lapses by itself, and ending it would end the user's others too.
 */
import type { View } from '../contract/operations.ts'
import { normalizeAddress } from './address.ts'
import { UnreachableError, apiErrorOf, unreachable } from './api-error.ts'

export interface PasswordSession {
  baseUrl: string
  username: string
  password: string
  userAgent: string
  signal?: AbortSignal
}

export interface PasswordSignIn extends PasswordSession {
  /** Name and lifetime of the token that is made. */
  tokenName: string
  expiresInDays: number
}

/** @throws ApiError when password or role do not do, UnreachableError when the service does not answer. */
export async function signInByPassword(options: PasswordSignIn): Promise<string> {
  const baseUrl = normalizeAddress(options.baseUrl)
  const { tokenName, expiresInDays } = options
  const cookie = await sessionByPassword(options)
  const body = JSON.stringify({ name: tokenName, role: 'admin', expiresInDays })
  const origin = new URL(baseUrl).origin // a write by session must come from the dashboard's host
  const made = await post(options, `${baseUrl}/api/v1/tokens`, body, {
    cookie,
    origin,
    'content-type': 'application/json',
  })
  const { token } = (await made.json()) as View<'tokens.create'> // what the contract says it answers
  return token
}

/** The session cookie, as a request carries it. Throws like `signInByPassword`. */
export async function sessionByPassword(options: PasswordSession): Promise<string> {
  const baseUrl = normalizeAddress(options.baseUrl)
  const { username, password } = options
  const login = await post(options, `${baseUrl}/api/login`, new URLSearchParams({ username, password }), {})
  const cookie = login.headers
    .getSetCookie()
    .map((it) => it.split(';')[0] ?? '')
    .find((it) => it.startsWith('svc_session='))
  if (cookie === undefined)
    throw new UnreachableError(`${baseUrl} did not sign in as svc does; is it an address of svc?`)
  return cookie
}

const answerWithinMs = 30_000

async function post(
  { baseUrl, userAgent, signal }: PasswordSession,
  url: string,
  body: string | URLSearchParams,
  headers: Record<string, string>,
): Promise<Response> {
  const limit = AbortSignal.timeout(answerWithinMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { ...headers, 'user-agent': userAgent, accept: 'application/json' },
      redirect: 'manual',
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    })
    if (response.ok) return response
    throw apiErrorOf(response.status, await response.text())
  } catch (error) {
    throw unreachable(baseUrl, error)
  }
}
