/** The one error that access to the cluster throws, and predicates about it. */

/** Reasons of svc itself, for calls without an answer from the API server. */
export const noAnswer = { unreachable: 'Unreachable', timeout: 'Timeout', silent: 'Silent' } as const

/** One field that validation refused: its path, a reason such as `FieldValueTooLong`, and the API server's message. */
export interface Cause {
  field: string
  reason: string
  message: string
}

/**
 * A refused or failed call. `status` is the HTTP status, 0 when there was no answer; `reason` is the API server's word
 * (`Conflict`, `Invalid`, ...). It never has a request body, nor the causes of a refused Secret, which may quote
 * secrets.
 */
export class ClusterError extends Error {
  readonly status: number
  readonly reason: string
  readonly retryAfterSeconds?: number
  /** Not enumerable: the message of the error has them already, so a log need not print them again. */
  declare readonly causes: readonly Cause[]

  constructor(
    status: number,
    reason: string,
    message: string,
    options: { retryAfterSeconds?: number; causes?: readonly Cause[]; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ClusterError'
    this.status = status
    this.reason = reason
    Object.defineProperty(this, 'causes', { value: options.causes ?? [], enumerable: false })
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** The object changed since it was read, another manager owns a field, or a precondition does not hold. */
export function isConflict(error: unknown): boolean {
  return isStatus(error, 409) && error.reason !== 'AlreadyExists'
}

export function isAlreadyExists(error: unknown): boolean {
  return isStatus(error, 409) && error.reason === 'AlreadyExists'
}

export function isNotFound(error: unknown): boolean {
  return isStatus(error, 404)
}

/** Another writer changed, made or removed the object since it was read: the caller can read it and decide again. */
export function isLostRace(error: unknown): boolean {
  return isConflict(error) || isAlreadyExists(error) || isNotFound(error)
}

export function isForbidden(error: unknown): boolean {
  return isStatus(error, 403)
}

/** Refused by validation: the same call will fail again. */
export function isInvalid(error: unknown): error is ClusterError {
  return isStatus(error, 422) || isStatus(error, 400)
}

/** The API server no longer has the requested resource version: list again. */
export function isExpired(error: unknown): boolean {
  return isStatus(error, 410)
}

/** No answer, or an answer that says try later: network, 5xx, 429. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ClusterError && (error.status === 0 || error.status >= 500 || error.status === 429)
}

function isStatus(error: unknown, status: number): error is ClusterError {
  return error instanceof ClusterError && error.status === status
}
