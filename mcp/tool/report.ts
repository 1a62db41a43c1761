/** Progress of long work that has no steps of its own: agents give up a call of which they hear nothing. */
import { waitPollSeconds } from '../../contract/limits.ts'
import type { ToolCall } from './tool.ts'

interface Reported {
  totalMs: number
  message: string
}

/** Does the work, and reports every few seconds that it goes on. */
export async function reporting<Result>(
  { now, sleep, signal, progress }: Pick<ToolCall, 'now' | 'sleep' | 'signal' | 'progress'>,
  { totalMs, message }: Reported,
  work: () => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController()
  const start = now()
  const report = async (): Promise<void> => {
    for (;;) {
      await sleep(waitPollSeconds * 1000, AbortSignal.any([signal, ended.signal]))
      progress({ elapsedMs: now() - start, totalMs, message })
    }
  }
  report().catch(() => undefined) // the sleep ends with the work
  try {
    return await work()
  } finally {
    ended.abort()
  }
}
