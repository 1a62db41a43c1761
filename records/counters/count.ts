/** In-memory counters with a limit. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { defined } from '../../contract/defined.ts'

export interface Counter {
  /** Counts one; false when the limit was reached before. */
  take(key: string): Promise<boolean>
  /** Subtracts one that should not have been counted. */
  giveBack(key: string): Promise<void>
  forget(key: string): Promise<void>
}

/** @param blockSeconds how long a key is refused after it went over the limit; without it, until the window ends */
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
