/** A call of an outside system that did not succeed: to be waited for, or a refusal; told without credentials. */

/** `message` is fit for a status and a log: `<status>: <body>` of a refusal, in short, or that nobody answers. */
export class OutsideTrouble extends Error {
  /** HTTP status, 0 without an answer. */
  readonly status: number
  /** The system's own word, e.g. `NoSuchEntity`; '' when it has none. */
  readonly code: string
  /** It may go away by itself: no answer, throttling, an error of the system's own, a change that is still under way. */
  readonly passing: boolean

  constructor(status: number, code: string, message: string, passing: boolean) {
    super(message)
    this.name = 'OutsideTrouble'
    this.status = status
    this.code = code
    this.passing = passing
  }
}

const textMax = 300

/** What a system said, cut short, without the given secrets. */
export function shortly(text: string, secrets: readonly string[]): string {
  const clean = secrets.filter((secret) => secret.length >= 4).reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
  return clean.replace(/\s+/g, ' ').trim().slice(0, textMax)
}

/** The shortest word for why there was no answer: a system's error code, else the name of the error. */
export function whyUnanswered(error: unknown): string {
  const { code, name = 'Error', cause } = error as { code?: unknown; name?: string; cause?: { code?: unknown } } // of an Error
  return [code, cause?.code].find((word) => typeof word === 'string') ?? name
}
