/** A value outside React that a stream of the api grows: read while something listens, and again after it broke. */
import { sentenceOf, statusOf } from './api.ts'

const flushMs = 80
const backoffMs = [500, 1000, 2000, 5000, 10_000]

export interface Followed<T> {
  subscribe(listener: () => void): () => void
  /** Another object after each change. */
  snapshot(): T
}

export interface Growing<T> {
  /** The value with all that was read. */
  next(): T
  /** Reads the stream to its end; true when there is no more to come. */
  readOnce(signal: AbortSignal): Promise<boolean>
  /** Why nothing is read at the moment, as a sentence. */
  lost(why: string): void
}

/** `make` gets a function that shows what was read, at most every 80 ms. */
export function createFollowed<T>(make: (show: () => void) => Growing<T>): Followed<T> {
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let end: AbortController | undefined
  const flush = () => {
    timer = undefined
    shown = growing.next()
    for (const listener of listeners) listener()
  }
  const growing = make(() => void (timer ??= setTimeout(flush, flushMs)))
  let shown = growing.next()
  return {
    snapshot: () => shown,
    subscribe(listener) {
      listeners.add(listener)
      if (end === undefined) {
        end = new AbortController()
        void keepReading(growing, end.signal)
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearTimeout(timer)
        timer = undefined
        end?.abort()
        end = undefined
      }
    },
  }
}

/** Again and again, until the signal; what the api refuses for good is not asked again. */
async function keepReading({ readOnce, lost }: Growing<unknown>, signal: AbortSignal): Promise<void> {
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      if (await readOnce(signal)) return
      lost('the stream ended')
    } catch (error) {
      if (signal.aborted) return
      lost(sentenceOf(error))
      if ([401, 403, 404].includes(statusOf(error) ?? 0)) return
    }
    await new Promise((resolve) => setTimeout(resolve, backoffMs[Math.min(tries, backoffMs.length - 1)]))
  }
}
