/** One request to a function for a caller, who gets the answer (docs/reference/functions.md#a-call-by-hand). */
import type { IncomingMessage } from 'node:http'
import { functionAnswerBytes } from '../../contract/limits.ts'
import { UpstreamError, whyUnanswered } from '../upstream-error.ts'
import { type FunctionTarget, sendTo } from './request.ts'

export interface Invocation {
  method: string
  /** Path and query, beginning with a slash. */
  path: string
  /** Sent as JSON if it is JSON, else as text; '' for no body. */
  body: string
}

/** The content type is the only header that is passed on. */
export interface Invoked {
  status: number
  contentType: string
  /** The body as UTF-8, at most 1 MiB. */
  body: string
  /** Whether the answer was longer than that. */
  truncated: boolean
}

/**
 * Sends the request once and follows no redirect. Throws UpstreamError with a plain sentence when no complete answer
 * came within `withinMs`; `signal` ends the wait.
 */
export async function invokeOnce(
  target: FunctionTarget,
  { method, path, body }: Invocation,
  { withinMs, signal }: { withinMs: number; signal: AbortSignal },
): Promise<Invoked> {
  const limit = AbortSignal.timeout(withinMs)
  const headers: Record<string, string> = {
    'user-agent': 'svc-invoke',
    ...(body === '' ? {} : { 'content-type': isJson(body) ? 'application/json' : 'text/plain; charset=utf-8' }),
  }
  try {
    const answer = await sendTo(target, { method, path, headers, body }, { signal: AbortSignal.any([signal, limit]) })
    const { text, truncated } = await readAnswer(answer)
    const contentType = answer.headers['content-type'] ?? ''
    return { status: answer.statusCode ?? 0, contentType, body: text, truncated }
  } catch (error) {
    const why = limit.aborted
      ? `the function did not answer within ${withinMs / 1000} seconds`
      : `the function could not be reached: ${whyUnanswered(error)}`
    throw new UpstreamError(0, '', why, true)
  }
}

async function readAnswer(answer: IncomingMessage): Promise<{ text: string; truncated: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > functionAnswerBytes) break // which ends the connection
  }
  const read = Buffer.concat(chunks).subarray(0, functionAnswerBytes)
  return { text: read.toString('utf8'), truncated: size > functionAnswerBytes }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
