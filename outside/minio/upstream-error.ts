/** Classifies errors of both APIs of MinIO. */
import { UpstreamError, shortly, whyUnanswered } from '../upstream-error.ts'

const loginCodes = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch'])
/** The codes of the SDK for no answer of MinIO: `404`, `UnknownError`, `NotFound` for no body, `Error` for a page. */
const ownWord = /^(?!Unknown|(Error|NotFound)$)[A-Za-z]/
const tooManyRequests = 429
const serverErrors = 500

/** No answer, or not an answer of MinIO itself. */
export const noAnswer = (error: unknown): UpstreamError =>
  new UpstreamError(0, '', `MinIO does not answer: ${whyUnanswered(error)}`, true)

/** A server that is starting or too busy answers 503; an answer without a code of MinIO is from a proxy in between. */
export function upstreamErrorOf(status: number, code: string, message: string, secret: string): UpstreamError {
  const said = [String(status), code, shortly(message, [secret])].filter(
    (part, at) => part !== '' && (at === 0 || part !== String(status)),
  )
  const passing = status >= serverErrors || status === tooManyRequests || !ownWord.test(code)
  return new UpstreamError(status, code, said.join(': '), passing)
}

/** Whether the error means that the server does not know the login of the call. */
export const isLoginRefused = (error: unknown): boolean => error instanceof UpstreamError && loginCodes.has(error.code)

/** The result; undefined for a refusal with one of these codes. */
export async function unlessRefused<T>(codes: readonly string[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UpstreamError && codes.includes(error.code)) return undefined
    throw error
  }
}
