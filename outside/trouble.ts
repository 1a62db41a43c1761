/** A call of an outside system that did not succeed: to be waited for, or a refusal; told without credentials. */

/** `message` is fit for a status and a log: `<status>: <body>` of a refusal, in short, or that nobody answers. */
export class UpstreamError extends Error {
  /** HTTP status, 0 without an answer. */
  readonly status: number
  /** The system's own word, e.g. `NoSuchEntity`; '' when it has none. */
  readonly code: string
  /**
   * It may go away by itself: no answer, throttling, an error of the system's own, a change that is still under way.
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

const textMax = 300

/** What a system said, cut short, without the given secrets. */
export function shortly(text: string, secrets: readonly string[]): string {
  const clean = secrets
    .filter((secret) => secret.length >= 4)
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
  return clean.replace(/\s+/g, ' ').trim().slice(0, textMax)
}

/** The shortest word for why there was no answer: a system's error code, else the name of the error. */
export function whyUnanswered(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.name : 'Error')
}

/**
 * The word of Node or a library for an error, e.g. `ECONNREFUSED`; of several tried addresses, what the first one said.
 */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error.cause
  return errorCode(first)
}
