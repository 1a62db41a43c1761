/** Five failed sign-ins in a minute lock that name at that address for a minute; kept in memory, so failing writes nothing. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { signInFailures, signInWindowSeconds } from '../../contract/limits.ts'

export interface Lockout {
  /** Counts an attempt before its password is looked at, so that many at once cannot slip through; false when locked. */
  admit(username: string, address: string): Promise<boolean>
  /** A right password forgets the failures before it. */
  succeeded(username: string, address: string): Promise<void>
}

export function createLockout(): Lockout {
  // The name alone would let anyone lock an admin out; the address alone would lock a whole office.
  const limiter = new RateLimiterMemory({
    points: signInFailures,
    duration: signInWindowSeconds,
    blockDuration: signInWindowSeconds,
  })
  const keyOf = (username: string, address: string): string => JSON.stringify([username, address])
  return {
    async admit(username, address) {
      try {
        await limiter.consume(keyOf(username, address))
        return true
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return false
        throw refused
      }
    },
    async succeeded(username, address) {
      await limiter.delete(keyOf(username, address))
    },
  }
}
