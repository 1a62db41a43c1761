/** The one error that is meant for a caller: a code, a plain sentence, and a cause that only the log sees. */

/**
 * The codes of errors (docs/reference/conventions.md#errors); each has one HTTP status, decided in
 * `api/http/middleware/errors.ts`.
 */
export const problemCodes = [
  'invalid_request',
  'unauthenticated',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal_error',
  // Device sign-in (docs/reference/access.md#device-sign-in).
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
] as const

export type ProblemCode = (typeof problemCodes)[number]

/** Thrown anywhere below the edge; the message leaves the process, the cause never does. */
export class Problem extends Error {
  readonly code: ProblemCode
  /** After how many seconds the request may be sent again; undefined where that is not known. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: ProblemCode, message: string, cause?: unknown, retryAfterSeconds?: number) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'Problem'
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A limit refused the request, and admits another one after `waitMs`. */
export const refuseFor = (waitMs: number, message: string = refusals.tooManySignIns): Problem =>
  new Problem('rate_limited', message, undefined, Math.max(1, Math.ceil(waitMs / 1000)))

/** A rule refused the request: the sentence is the whole answer. */
export const refuse = (message: string, cause?: unknown): Problem => new Problem('invalid_request', message, cause)

/** Refusals that several modules give in the same words (docs/reference/conventions.md#errors). */
export const refusals = {
  authenticationRequired: 'authentication required',
  invalidToken: 'invalid or expired API token',
  roleTooLow: 'viewer role cannot access this',
  tokenCannotAccess: 'this token cannot access that endpoint',
  tokenNeeded: 'this endpoint needs an API token',
  appNotFound: 'app not found',
  tokenNotFound: 'token was not found',
  confirmation: 'confirmation did not match the resource name',
  changedMeanwhile: 'the resource was changed by another writer; read it again and retry',
  lastEnvironment: 'a project must retain at least one environment',
  variableName: 'variable name must use uppercase letters, numbers, and underscores',
  callPath: 'path must start with / and be percent-encoded',
  idleSeconds: 'idle_seconds must be between 30 and 86400',
  origin: 'request origin could not be verified',
  tooManySignIns: 'too many sign-in requests, try again in a minute',
  passwordLength: 'a password must be at least 8 characters',
  notCompleted: 'could not complete the request',
  notLoaded: 'could not load the resources',
  dashboardNotLoaded: 'could not load dashboard',
} as const
