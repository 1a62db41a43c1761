/**
 * One call of Cloudflare's API (version 4): decodes the envelope of its answers; messages of refusals hold no token.
 */

export interface Account {
  apiToken: string
  accountId: string
}

export type FailureKind =
  /** The provider does not accept the token. */
  | 'invalid-token'
  /** The token lacks the permission. */
  | 'forbidden'
  | 'not-found'
  /** The provider limits calls; the next call is allowed after `afterMs`. */
  | 'limited'
  | 'refused'
  /** No answer, or an answer that leaves the outcome open: the call may have taken effect. */
  | 'away'

/** Why a call did not succeed; the message is safe to show. */
export class ProviderFailure extends Error {
  readonly kind: FailureKind
  readonly afterMs: number
  /** The codes of the errors in the answer. */
  readonly codes: readonly number[]

  constructor(
    kind: FailureKind,
    message: string,
    { afterMs = 0, codes = [] }: { afterMs?: number; codes?: readonly number[] } = {},
  ) {
    super(message)
    this.name = 'ProviderFailure'
    this.kind = kind
    this.afterMs = afterMs
    this.codes = codes
  }
}

export interface Page<T> {
  result: T
  /** The number of pages, at least 1. */
  pages: number
}

export interface ProviderApi {
  /** Throws ProviderFailure. Paths begin with `/`; the caller encodes the values in a path. */
  call<T>(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Page<T>>
}

export interface ProviderSettings {
  /** `SVC_CLOUDFLARE_URL`; Cloudflare's own address when left out. */
  url?: string | undefined
  timeoutMs?: number
}

const officialUrl = 'https://api.cloudflare.com/client/v4'
const answersWithinMs = 10_000
/** The wait when the provider asks to wait without saying how long. */
const unstatedWaitMs = 30_000
const longestMs = 3_600_000
/** "Invalid request headers", "Invalid API Token". */
const tokenCodes = new Set([6003, 1000])
/** "Invalid access token", but also "unauthorized to access requested resource". */
const accessCode = 9109

interface Envelope {
  success?: boolean
  result?: unknown
  errors?: readonly { code?: number; message?: string }[]
  result_info?: { total_pages?: number } | null
}

export function createProviderApi(
  { apiToken }: Account,
  { url, timeoutMs = answersWithinMs }: ProviderSettings = {},
): ProviderApi {
  const base = (url ?? officialUrl).replace(/\/$/, '')
  return {
    async call<T>(method: string, path: string, body?: object): Promise<Page<T>> {
      const { status, retryAfter, text } = await send(`${base}${path}`, method, apiToken, body, timeoutMs)
      const envelope = parse(text)
      if (status >= 200 && status < 300 && envelope?.success === true)
        // The shape in the API's reference.
        return { result: envelope.result as T, pages: Math.max(1, envelope.result_info?.total_pages ?? 1) }
      throw failureOf(status, retryAfter, envelope, apiToken)
    },
  }
}

async function send(url: string, method: string, apiToken: string, body: object | undefined, timeoutMs: number) {
  try {
    const answer = await fetch(url, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        authorization: `Bearer ${apiToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() }
  } catch (error) {
    // A token with a line break is an invalid header and is never sent.
    if (error instanceof TypeError && /header/i.test(error.message))
      throw new ProviderFailure('invalid-token', 'the token cannot be sent')
    throw new ProviderFailure('away', 'the DNS provider does not answer')
  }
}

function parse(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function failureOf(
  status: number,
  retryAfter: string | null,
  envelope: Envelope | undefined,
  token: string,
): ProviderFailure {
  const errors = envelope?.errors ?? []
  const codes = errors.map(({ code = 0 }) => code)
  const said = errors
    .map(({ code = 0, message = '' }) => `${message.replaceAll(token, '…').slice(0, 200)} (${code})`)
    .join('; ')
  const words = said === '' ? `the DNS provider answers ${status}` : `the DNS provider answers ${status}: ${said}`
  if (status === 429)
    return new ProviderFailure('limited', 'the DNS provider asks to wait', { afterMs: waitOf(retryAfter), codes })
  if (status >= 500 || (status < 400 && envelope === undefined))
    return new ProviderFailure('away', `the DNS provider answers ${status}`, { codes })
  const invalid = errors.some(
    ({ code = 0, message = '' }) => tokenCodes.has(code) || (code === accessCode && /invalid/i.test(message)),
  )
  if (status === 401 || (invalid && (status === 400 || status === 403)))
    return new ProviderFailure('invalid-token', words, { codes })
  if (status === 403) return new ProviderFailure('forbidden', words, { codes })
  return new ProviderFailure(status === 404 ? 'not-found' : 'refused', words, { codes })
}

/** Seconds, or a date (RFC 9110); milliseconds. */
function waitOf(header: string | null): number {
  const text = header?.trim() ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.min(longestMs, Math.max(1_000, ms)) : unstatedWaitMs
}
