/** The two ways a call fails: the service refused it, or the service did not answer. */

/**
 * The service answered with an error; `message` is its sentence, `code` one of the codes
 * (docs/reference/conventions.md#errors).
 */
export class ApiError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
  }
}

/** No usable answer: no connection, no answer in time, or something else than svc at that address. */
export class UnreachableError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'UnreachableError'
  }
}

/** No connection, a fault of the server, or too many requests: it may be better next time. */
export function isPassing(error: unknown): error is Error {
  return (
    error instanceof UnreachableError || (error instanceof ApiError && (error.status >= 500 || error.status === 429))
  )
}

/** The error of an answer that is not a success; a body that is not svc's own is not repeated. */
export function apiErrorOf(status: number, body: string): ApiError {
  const { error, code } = errorFields(body)
  return new ApiError(status, code ?? '', error ?? `the service answered with status ${status}`)
}

function errorFields(body: string): { error?: string; code?: string } {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return {} // a proxy's page, or the plain-text 404
  }
  if (typeof value !== 'object' || value === null) return {}
  return {
    ...('error' in value && typeof value.error === 'string' && value.error !== '' ? { error: value.error } : {}),
    ...('code' in value && typeof value.code === 'string' ? { code: value.code } : {}),
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'no way to the host',
  ETIMEDOUT: 'no answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer in time',
}

/** What `fetch` threw, as one sentence; refusals and an abort by the caller are handed back as they are. */
export function unreachable(baseUrl: string, error: unknown): unknown {
  if (!(error instanceof Error) || error.name === 'AbortError') return error
  if (error instanceof ApiError || error instanceof UnreachableError) return error
  if (error.name === 'TimeoutError') return new UnreachableError(`could not reach ${baseUrl}: no answer in time`, error)
  const cause = error.cause instanceof Error ? error.cause : error
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  return new UnreachableError(`could not reach ${baseUrl}: ${reasons[code] ?? cause.message}`, error)
}
