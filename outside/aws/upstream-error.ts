/** Classifies errors of the AWS client. */
import { UpstreamError, shortly, whyUnanswered } from '../upstream-error.ts'

const throttled =
  /^(Throttl|TooManyRequests|SlowDown|RequestLimitExceeded|RequestThrottled|BandwidthLimitExceeded|PriorRequestNotComplete)/
const underWay = new Set([
  'OperationAborted',
  'EntityTemporarilyUnmodifiable',
  'ConcurrentModification',
  'RequestTimeout',
])

/** Turns any error of the SDK into an UpstreamError: its text is cut, and the secrets of the call are removed. */
export function upstreamErrorOf(error: unknown, secrets: readonly string[]): UpstreamError {
  const {
    name = '',
    message = '',
    $metadata,
    // Of an Error, as the client throws them.
  } = error as { name?: string; message?: string; $metadata?: { httpStatusCode?: number } }
  const code = name.replace(/Exception$/, '') // the SDK adds the suffix to some codes of AWS
  const status = $metadata?.httpStatusCode ?? 0
  if (status === 0) return new UpstreamError(0, code, `AWS does not answer: ${whyUnanswered(error)}`, true)
  const passing = status >= 500 || status === 429 || throttled.test(code) || underWay.has(code)
  const said = [code, shortly(message, secrets)].filter((part) => part !== '' && part !== String(status))
  return new UpstreamError(status, code, [String(status), ...said].join(': '), passing)
}

/** The answer, or undefined when AWS answers that the resource does not exist. */
export async function orAbsent<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** Whether the error is AWS's answer for a resource that does not exist. */
export function isAbsent(error: unknown): boolean {
  return error instanceof UpstreamError && (error.status === 404 || error.code === 'NoSuchEntity')
}
