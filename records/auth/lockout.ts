/**
 * How often passwords may be tried; kept in memory, so failing writes nothing. Every try is counted before its password
 * is looked at, so that many at once cannot slip through; a right password takes its counts back.
 * 1. An address has twenty failures a minute, whatever the names.
 * 2. Five failures in a minute lock a name at an address for a minute.
 * 3. A name that failed fifty times in a quarter of an hour, anywhere, has one try for each network until it is over:
 *   many addresses together guess no faster, and the right password gets in with the first try.
 * 4. A browser that the user has signed in with before is counted for itself, so that no other can lock it out, not
 *    even from the same address: five failures in a minute.
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
  /** Of a browser that this user has signed in with before. */
  readonly device?: string | undefined
}

/** `locked`: this name, as if the password were wrong; `limited`: this address. */
export type Admission = 'admitted' | 'locked' | 'limited'

export interface Lockout {
  admit(attempt: Attempt): Promise<Admission>
  /** A right password forgets the failures before it. */
  succeeded(attempt: Attempt): Promise<void>
}

export function createLockout(): Lockout {
  const byAddress = createCounter({ points: signInFailuresPerAddress, seconds: signInWindowSeconds })
  // The name alone would let any caller lock an admin out; the address alone would lock a whole office.
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
      if (!(await byAddress.take(callerAt(address)))) return 'limited'
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
