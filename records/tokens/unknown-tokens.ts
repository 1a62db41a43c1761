/** Tokens that are not in the cache: which of them are worth a live read, and how many reads run at once. */
import { unknownTokens } from '../../contract/limits.ts'
import { tokenSecretName } from '../../kinds/system-secrets.ts'
import { createAtMost } from '../counters/at-most.ts'
import { createCounter } from '../counters/count.ts'
import { callerAt } from '../counters/network.ts'
import type { AuthSecret } from '../secrets/auth-secret.ts'
import { BoundedMap } from '../counters/bounded-map.ts'
import type { TrustedSecrets } from '../secrets/trusted-secrets.ts'
import { isProven } from './token-id.ts'

export interface UnknownTokens {
  /**
   * The Secret of an id, read live; undefined when it does not exist. An id is handed out only after its Secret was
   * created, so a missing one is not read again for a while. Throws Problem rate_limited: the token may be valid, and
   * the caller may try again.
   * @param address of the caller
   */
  read(id: string, address: () => string): Promise<AuthSecret | undefined>
}

export interface UnknownTokenNeeds {
  readonly trusted: TrustedSecrets
  /** The key of the proof in token ids; undefined while there are no users. */
  readonly idKey: () => Promise<Buffer | undefined>
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

const everybody = ''

export function createUnknownTokens({ trusted, idKey, clock }: UnknownTokenNeeds): UnknownTokens {
  const missedAt = new BoundedMap<string, number>(unknownTokens.missesKept)
  const reads = createAtMost({ atOnce: unknownTokens.readsAtOnce, waiting: unknownTokens.readsWaiting })
  const byAddress = createCounter({ points: unknownTokens.unprovenPerAddressAndMinute, seconds: 60 })
  const together = createCounter({ points: unknownTokens.unprovenPerSecond, seconds: 1 })
  return {
    async read(id, address) {
      if (clock() - (missedAt.get(id) ?? Number.NEGATIVE_INFINITY) < unknownTokens.missSeconds * 1000) return undefined
      // Replicas of an earlier release make ids without a proof; all other such ids are made up, and a caller can make
      // up many.
      if (!isProven(id, await idKey())) {
        await byAddress.admit(callerAt(address()))
        await together.admit(everybody)
      }
      const found = await reads.run(() => trusted.readLive(tokenSecretName(id)))
      if (found === undefined) missedAt.set(id, clock())
      return found
    },
  }
}
