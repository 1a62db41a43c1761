/** Runs a statement as long as its caller waits. */
import { UpstreamError } from '../../upstream-error.ts'
import { refused } from './answer.ts'

/** How long a server may take to end a cancelled statement. */
const cancelMs = 5_000
/** How long the work may take to fail because of its connection: that error says more than the reason of the end. */
const failMs = 200

interface Wanted {
  readonly withinMs: number
  readonly signal: AbortSignal
  /** Ends the statement at the server. */
  cancel(): Promise<void>
  /** Ends the connection. */
  destroy(): void
}

/**
 * Runs the work. When the caller leaves or the time is over, the statement is cancelled, and the connection is ended if
 * the server does not react; from then on `over` returns the reason. Throws UpstreamError in that case, else what the
 * work throws.
 */
export async function whileWanted<Result>(
  { withinMs, signal, cancel, destroy }: Wanted,
  work: (over: () => string | undefined) => Promise<Result>,
): Promise<Result> {
  let why: string | undefined
  let grace: NodeJS.Timeout | undefined
  const lost = Promise.withResolvers<never>()
  const end = (reason: string): void => {
    if (why !== undefined) return
    why = reason
    const hangUp = () => {
      clearTimeout(grace)
      destroy()
      grace = setTimeout(() => lost.reject(refused(reason)), failMs)
    }
    grace = setTimeout(hangUp, cancelMs)
    cancel().catch(hangUp) // a server that takes no second connection loses the first one
  }
  const left = () => end('the query was cancelled')
  const timer = setTimeout(() => end(`the query took longer than ${withinMs / 1000} seconds`), withinMs)
  if (signal.aborted) left()
  else signal.addEventListener('abort', left, { once: true })
  try {
    return await Promise.race([work(() => why), lost.promise])
  } catch (error) {
    throw why === undefined || error instanceof UpstreamError ? error : refused(why)
  } finally {
    clearTimeout(timer)
    clearTimeout(grace)
    signal.removeEventListener('abort', left)
  }
}
