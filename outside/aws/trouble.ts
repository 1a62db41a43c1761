/** What an error of the AWS client means. */

import { UpstreamError, shortly, whyUnanswered } from '../trouble.ts'
import type { AwsKeys } from './account.ts'

const throttled =
  /^(Throttl|TooManyRequests|SlowDown|RequestLimitExceeded|RequestThrottled|BandwidthLimitExceeded|PriorRequestNotComplete)/
const underWay = new Set([
  'OperationAborted',
  'EntityTemporarilyUnmodifiable',
  'ConcurrentModification',
  'RequestTimeout',
])

/** Of whatever the client threw. The text of AWS is cut, and the keys that were used are taken out of it. */
export function troubleOf(error: unknown, keys: AwsKeys): UpstreamError {
  const {
    name = '',
    message = '',
    $metadata,
    // Of an Error, as the client throws them.
  } = error as { name?: string; message?: string; $metadata?: { httpStatusCode?: number } }
  const code = name.replace(/Exception$/, '') // the client adds it to some of AWS's words
  const status = $metadata?.httpStatusCode ?? 0
  if (status === 0) return new UpstreamError(0, code, `AWS does not answer: ${whyUnanswered(error)}`, true)
  const passing = status >= 500 || status === 429 || throttled.test(code) || underWay.has(code)
  const said = [code, shortly(message, [keys.secretAccessKey, keys.accessKeyId])].filter(
    (part) => part !== '' && part !== String(status),
  )
  return new UpstreamError(status, code, [String(status), ...said].join(': '), passing)
}

/** The answer, or undefined when what was asked about is not there. */
export async function orAbsent<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** Whether AWS says that what was asked about is not there. */
export function isAbsent(error: unknown): boolean {
  return error instanceof UpstreamError && (error.status === 404 || error.code === 'NoSuchEntity')
}
