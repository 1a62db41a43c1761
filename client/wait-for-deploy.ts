/** Waits for the end of a deploy by reading the service's status every three seconds. */
import { agentPollSeconds } from '../contract/limits.ts'
import { ApiError, UnreachableError } from './api-error.ts'
import type { Client } from './client.ts'
import { judgeDeploy } from './deploy-verdict.ts'
import type { DeployStatus } from './deploy-verdict.ts'

export interface WaitOptions {
  client: Client
  app: string
  /** The status read before the deploy was asked for. */
  before?: DeployStatus
  timeoutMs: number
  /** Milliseconds of a clock that only moves forward. */
  now: () => number
  sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  signal?: AbortSignal
  /** Called with every status read. */
  onStatus?: (status: DeployStatus, elapsedMs: number) => void
  /** Called when the service could not be asked; the waiting goes on. */
  onTrouble?: (error: Error, elapsedMs: number) => void
}

export interface WaitResult {
  outcome: 'complete' | 'failed' | 'timedOut'
  /** Why it failed, or what it still waited for. */
  reason: string
  /** The last status read, if there was one. */
  status?: DeployStatus
  elapsedMs: number
}

/**
 * Goes on through failures of the network and of the server, which do not end a deploy.
 * @throws ApiError when the service is gone or may not be read; whatever the signal was aborted with.
 */
export async function waitForDeploy(options: WaitOptions): Promise<WaitResult> {
  const { timeoutMs, now, sleep, signal, before } = options
  const start = now()
  let last: { status?: DeployStatus } = {}
  for (;;) {
    const status = await poll(options, start)
    const elapsedMs = now() - start
    // Only a fresh status is judged: an old one does not get truer by the passing of time.
    const verdict = status === undefined ? { kind: 'waiting' as const } : judgeDeploy(status, { before, elapsedMs })
    if (status !== undefined) last = { status }
    if (verdict.kind === 'complete') return { outcome: 'complete', reason: '', ...last, elapsedMs }
    if (verdict.kind === 'failed') return { outcome: 'failed', reason: verdict.reason, ...last, elapsedMs }
    if (elapsedMs >= timeoutMs) return { outcome: 'timedOut', reason: last.status?.message ?? '', ...last, elapsedMs }
    await sleep(Math.min(agentPollSeconds * 1000, timeoutMs - elapsedMs), signal)
  }
}

/** One read may not hold up the next: a server that hangs is no answer. */
const pollLimitMs = 15_000

async function poll(options: WaitOptions, start: number): Promise<DeployStatus | undefined> {
  const { client, app, now, signal, onStatus, onTrouble } = options
  const limit = AbortSignal.timeout(pollLimitMs)
  try {
    const either = signal === undefined ? limit : AbortSignal.any([signal, limit])
    const status = await client.call('apps.status', { app }, { signal: either })
    onStatus?.(status, now() - start)
    return status
  } catch (error) {
    if (!isPassing(error)) throw error
    onTrouble?.(error, now() - start)
    return undefined
  }
}

/** No connection, a fault of the server, or too many requests: it may be better next time. */
function isPassing(error: unknown): error is Error {
  return error instanceof UnreachableError || (error instanceof ApiError && (error.status >= 500 || error.status === 429))
}
