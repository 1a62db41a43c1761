/**
 * Limits on failed passwords, in memory, so that a failure writes nothing. Each try is counted before its password is
 * checked, so that concurrent tries cannot exceed a limit; a right password subtracts its counts.
 * 1. An address has twenty failures a minute, whatever the usernames.
 * 2. Five failures in a minute lock a username at an address for a minute.
 * 3. A username with fifty failures in a quarter of an hour, at any address, has one try per network until that time
 * ends: many addresses together guess no faster, and the right password is accepted at the first try.
 * 4. A browser in which the user has signed in before is counted by itself, so that no other browser can lock it out,
 * not even one at the same address: five failures in a minute.
 */
import {
  signInFailures,
  signInFailuresPerAddress,
  signInFailuresPerName,
  signInNameWindowSeconds,
  signInWindowSeconds,
} from '../../contract/limits.ts'
import { createCounter } from '../counters/count.ts'
import { callerAt, networkOf } from '../counters/network.ts'

export interface Attempt {
  readonly username: string
  readonly address: string
  /** ID of a browser in which this user has signed in before. */
  readonly device?: string | undefined
}

/** `locked`: this username, answered like a wrong password. */
export type Admission = 'admitted' | 'locked'

export interface Lockout {
  /** Throws Problem rate_limited for an address with too many failures. */
  admit(attempt: Attempt): Promise<Admission>
  /** A right password forgets the failures before it. */
  succeeded(attempt: Attempt): Promise<void>
}

export function createLockout(): Lockout {
  const byAddress = createCounter({ points: signInFailuresPerAddress, seconds: signInWindowSeconds })
  // Counting by name alone would let any caller lock out an admin; by address alone, one user could lock out a whole
  // office.
  const byPair = createCounter({
    points: signInFailures,
    seconds: signInWindowSeconds,
    blockSeconds: signInWindowSeconds,
  })
  const byName = createCounter({ points: signInFailuresPerName, seconds: signInNameWindowSeconds })
  const byNetwork = createCounter({ points: 1, seconds: signInNameWindowSeconds })
  const byDevice = createCounter({
    points: signInFailures,
    seconds: signInWindowSeconds,
    blockSeconds: signInWindowSeconds,
  })
  return {
    async admit({ username, address, device }) {
      if (device !== undefined) return (await byDevice.take(device)) ? 'admitted' : 'locked'
      await byAddress.admit(callerAt(address))
      if (!(await byPair.take(pairOf(username, callerAt(address))))) return 'locked'
      if (await byName.take(username)) return 'admitted'
      return (await byNetwork.take(pairOf(username, networkOf(address)))) ? 'admitted' : 'locked'
    },
    async succeeded({ username, address, device }) {
      if (device !== undefined) return byDevice.forget(device)
      await Promise.all([
        byAddress.giveBack(callerAt(address)),
        byPair.forget(pairOf(username, callerAt(address))),
        byName.giveBack(username),
        byNetwork.forget(pairOf(username, networkOf(address))),
      ])
    },
  }
}

const pairOf = (username: string, place: string): string => JSON.stringify([username, place])
