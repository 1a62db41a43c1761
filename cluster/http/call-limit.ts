/** When a request must stop, and the error for a request without an answer. */
import { clusterCallMs } from '../../contract/process-limits.ts'
import { ClusterError, noAnswer } from '../objects/errors.ts'

export interface Limit {
  /** Fires on the caller's abort and when the time is up. */
  signal: AbortSignal
  stopTimer(): void
  /** Stops listening to the caller's signal. */
  release(): void
  /** The error to throw: the caller's own abort reason, a timeout, silence, or a network failure in words. */
  explain(error: unknown): unknown
}

interface LimitedCall {
  method: string
  path: string
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
}

/** Without AbortSignal.any, which would keep a reference on a signal that lives as long as the process. */
export function startLimit({ signal, timeoutMs = clusterCallMs, method, path }: LimitedCall): Limit {
  const controller = new AbortController()
  const onAbort = () => controller.abort()
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    controller.abort()
  }, timeoutMs)

  return {
    signal: controller.signal,
    stopTimer: () => clearTimeout(timer),
    release: () => signal?.removeEventListener('abort', onAbort),
    explain(error) {
      if (signal?.aborted) return signal.reason as unknown
      // First, since a refusal by a busy API server may be all that is known when the time is up.
      if (error instanceof ClusterError) return error
      if (timedOut) return new ClusterError(0, noAnswer.timeout, `${method} ${path}: no answer within ${timeoutMs} ms`)
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (code === 'UND_ERR_BODY_TIMEOUT')
        return new ClusterError(0, noAnswer.silent, `${method} ${path}: the stream fell silent`)
      const why = error instanceof Error ? error.message || code : String(error)
      return new ClusterError(0, noAnswer.unreachable, `${method} ${path}: ${why}`, { cause: error })
    },
  }
}
