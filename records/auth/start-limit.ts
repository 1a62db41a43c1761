/** Device sign-in starts: ten a minute per remote address of the connection; forwarded addresses are not read (Limits). */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { deviceStartsPerMinute } from '../../contract/limits.ts'

export interface StartLimit {
  /** False when this address has started its ten. */
  admit(peer: string): Promise<boolean>
}

export function createStartLimit(): StartLimit {
  const limiter = new RateLimiterMemory({ points: deviceStartsPerMinute, duration: 60 })
  return {
    async admit(peer) {
      try {
        await limiter.consume(peer)
        return true
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return false
        throw refused
      }
    },
  }
}
