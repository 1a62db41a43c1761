/** Waits for an end by reading a status every three seconds; what a status means is for the caller to judge. */
import { waitPollSeconds } from '../../contract/limits.ts'
import { isPassing } from '../api-error.ts'

/** How long a caller waits, by which clock, and what is shown on the way. */
export interface PollOptions<Status> {
  timeoutMs: number
  /** Milliseconds of a clock that only moves forward. */
  now: () => number
  sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  signal?: AbortSignal
  /** Called with every status read. */
  onStatus?: (status: Status, elapsedMs: number) => void
  /** Called when the service could not be asked; the waiting goes on. */
  onTrouble?: (error: Error, elapsedMs: number) => void
}

export interface Wait<Status> extends PollOptions<Status> {
  read: (signal: AbortSignal) => Promise<Status>
  judge: (status: Status, elapsedMs: number) => Verdict
  /** What is still waited for when time is over. */
  waitingFor: (status: Status) => string
}

export interface WaitResult<Status> {
  outcome: 'complete' | 'failed' | 'timedOut'
  /** Why it failed, or what it still waited for. */
  reason: string
  /** The last status read, if there was one. */
  status?: Status
  elapsedMs: number
}

/**
 * Goes on through failures of the network and of the server, which end no work.
 * @throws ApiError when there is nothing to read or it may not be read; whatever the signal was aborted with.
 */
export async function waitUntil<Status>(wait: Wait<Status>): Promise<WaitResult<Status>> {
  const { timeoutMs, now, sleep, signal, judge, waitingFor } = wait
  const start = now()
  let last: { status?: Status } = {}
  for (;;) {
    const seen = await poll(wait, start)
    const elapsedMs = now() - start
    // Only a fresh status is judged: an old one does not get truer by the passing of time.
    const verdict = seen === undefined ? { kind: 'waiting' as const } : judge(seen.status, elapsedMs)
    if (seen !== undefined) last = seen
    if (verdict.kind === 'complete') return { outcome: 'complete', reason: '', ...last, elapsedMs }
    if (verdict.kind === 'failed') return { outcome: 'failed', reason: verdict.reason, ...last, elapsedMs }
    if (elapsedMs >= timeoutMs)
      return {
        outcome: 'timedOut',
        reason: last.status === undefined ? '' : waitingFor(last.status),
        ...last,
        elapsedMs,
      }
    await sleep(Math.min(waitPollSeconds * 1000, timeoutMs - elapsedMs), signal)
  }
}

/** One read may not hold up the next: a server that hangs is no answer. */
const pollLimitMs = 15_000

async function poll<Status>(
  { read, now, signal, onStatus, onTrouble }: Wait<Status>,
  start: number,
): Promise<{ status: Status } | undefined> {
  const limit = AbortSignal.timeout(pollLimitMs)
  try {
    const status = await read(signal === undefined ? limit : AbortSignal.any([signal, limit]))
    onStatus?.(status, now() - start)
    return { status }
  } catch (error) {
    if (!isPassing(error)) throw error
    onTrouble?.(error, now() - start)
    return undefined
  }
}

export type Verdict =
  { readonly kind: 'waiting' } | { readonly kind: 'complete' } | { readonly kind: 'failed'; readonly reason: string }

export const failed = (reason: string): Verdict => ({ kind: 'failed', reason })

/**
 * A replica of the api whose cache is behind may still answer what was before. It catches up within a
 * second, so a status that is as before for longer than this is the truth.
 */
export const staleMs = 10_000
