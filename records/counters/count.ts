/** In-memory counters with a limit. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { defined } from '../../contract/defined.ts'
import { refuseFor } from '../../contract/problem.ts'

export interface Counter {
  /** Counts one; false when the limit was reached before. */
  take(key: string): Promise<boolean>
  /** Counts one. Throws Problem rate_limited, with the time that is left of the window, when the limit was reached. */
  admit(key: string, message?: string): Promise<void>
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
  const consume = async (key: string): Promise<RateLimiterRes | undefined> => {
    try {
      await limiter.consume(key)
      return undefined
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return refused
      throw refused
    }
  }
  return {
    take: async (key) => (await consume(key)) === undefined,
    async admit(key, message) {
      const refused = await consume(key)
      if (refused !== undefined) throw refuseFor(refused.msBeforeNext, message)
    },
    async giveBack(key) {
      await limiter.reward(key)
    },
    async forget(key) {
      await limiter.delete(key)
    },
  }
}
