/** Counters in this process that refuse when they are full; nothing is written anywhere. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { defined } from '../../contract/defined.ts'

export interface Counter {
  /** Counts one; false when there were too many already. */
  take(key: string): Promise<boolean>
  /** Takes back one that turned out to be none. */
  giveBack(key: string): Promise<void>
  forget(key: string): Promise<void>
}

/** @param blockSeconds who takes too many waits so long from that moment on; else until the time is over */
export function createCounter({
  points,
  seconds,
  blockSeconds,
}: {
  points: number
  seconds: number
  blockSeconds?: number
}): Counter {
  const limiter = new RateLimiterMemory({
    points,
    duration: seconds,
    ...defined({ blockDuration: blockSeconds }),
  })
  return {
    async take(key) {
      try {
        await limiter.consume(key)
        return true
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return false
        throw refused
      }
    },
    async giveBack(key) {
      await limiter.reward(key)
    },
    async forget(key) {
      await limiter.delete(key)
    },
  }
}
