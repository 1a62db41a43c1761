/**
 * One POST to a function, never repeated here: the caller has to know whether the function may have received it
 * (docs/reference/functions.md#a-run).
 */
import type { IncomingMessage } from 'node:http'
import { functionAnswerBytes } from '../../contract/limits.ts'
import { errorCode } from '../upstream-error.ts'
import { type FunctionTarget, sendTo } from './request.ts'

export interface FunctionPost {
  path: string
  headers: Readonly<Record<string, string>>
  /** JSON text; '' for no body. */
  body: string
}

export type Posted =
  /** No connection was made: the function has not received the request. */
  | { outcome: 'unsent'; message: string }
  | { outcome: 'answered'; status: number; ms: number; line: string }
  /** The function may have received the request. */
  | { outcome: 'lost'; message: string; ms: number }

/** The longest line of an answer in a message, in characters. */
const lineLength = 200

/** Never throws. `signal` ends the wait; `withinMs` limits the time from now to the end of the answer. */
export async function postOnce(
  target: FunctionTarget,
  { path, headers, body }: FunctionPost,
  { withinMs, signal }: { withinMs: number; signal: AbortSignal },
): Promise<Posted> {
  const began = performance.now()
  const limit = AbortSignal.timeout(Math.max(1, withinMs))
  let isConnected = false
  try {
    const answer = await sendTo(
      target,
      { method: 'POST', path, headers, body },
      { signal: AbortSignal.any([signal, limit]), onConnect: () => (isConnected = true) },
    )
    const line = await firstLine(answer)
    return { outcome: 'answered', status: answer.statusCode ?? 0, ms: since(began), line }
  } catch (error) {
    if (!isConnected) return { outcome: 'unsent', message: `no connection to the function: ${causeOf(error)}` }
    const message = signal.aborted
      ? 'svc was stopped while the function was at work'
      : limit.aborted
        ? `the function did not answer within ${Math.round(withinMs / 1000)} seconds`
        : `the connection was lost before an answer came: ${causeOf(error)}`
    return { outcome: 'lost', message, ms: since(began) }
  }
}

const since = (began: number): number => Math.round(performance.now() - began)

const causeOf = (error: unknown): string => errorCode(error) ?? (error instanceof Error ? error.message : String(error))

/**
 * Returns the first line of the answer, of which only a limited part is read. An answer that breaks off still has its
 * status.
 */
async function firstLine(answer: IncomingMessage): Promise<string> {
  let start = Buffer.alloc(0)
  let size = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (start.length < 4 * lineLength) start = Buffer.concat([start, chunk])
      size += chunk.length
      if (size > functionAnswerBytes) break // which ends the connection
    }
  } catch {
    // The status has come, and it decides.
  }
  const lines = start.toString('utf8').split(/[\r\n]+/)
  return (lines.find((text) => text.trim() !== '') ?? '')
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, lineLength)
}
