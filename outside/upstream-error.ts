/** A failed call to an outside system: a refusal, or a failure that passes. Its text has no credentials. */

/**
 * `message` is safe for a status and a log: `<status>: <body>` of a refusal, truncated, or that the system does not
 * answer.
 */
export class UpstreamError extends Error {
  /** HTTP status, 0 without an answer. */
  readonly status: number
  /** The system's error code, e.g. `NoSuchEntity`; '' when there is none. */
  readonly code: string
  /**
   * Whether the failure passes by itself: no answer, throttling, an error of the system itself, a change that is still
   * in progress.
   */
  readonly passing: boolean

  constructor(status: number, code: string, message: string, passing: boolean) {
    super(message)
    this.name = 'UpstreamError'
    this.status = status
    this.code = code
    this.passing = passing
  }
}

/**
 * A successful answer may refuse single objects of its page: such a refusal counts like a refused call, or like an
 * error of the store itself.
 */
export function refusedObject({
  Code = 'Error',
  Message = '',
}: {
  Code?: string | undefined
  Message?: string | undefined
}): UpstreamError {
  const passing = Code === 'InternalError' || Code === 'SlowDown'
  return new UpstreamError(passing ? 503 : 403, Code, `${passing ? 503 : 403}: ${Code}: ${Message}`, passing)
}

const textMax = 300

/** The text of an answer, truncated, without the given secrets. */
export function shortly(text: string, secrets: readonly string[]): string {
  const clean = secrets
    .filter((secret) => secret.length >= 4)
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
  return clean.replace(/\s+/g, ' ').trim().slice(0, textMax)
}

/** Why there was no answer: an error code of the system, else the name of the error. */
export function whyUnanswered(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.name : 'Error')
}

/** Whether an error code of Node says that the certificate of the other side was not accepted. */
export const isCertificateError = (code: string): boolean =>
  /^ERR_(TLS|SSL)|CERT|SIGNATURE|SELF_SIGNED|ISSUER/.test(code)

/** The error code of Node or a library, e.g. `ECONNREFUSED`; of several tried addresses, that of the first. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error.cause
  return errorCode(first)
}
