/** Tokens that the cache does not know: which are worth a read of the cluster, and how many are read at once. */
import { unknownTokens } from '../../contract/limits.ts'
import { Problem, refusals } from '../../contract/problem.ts'
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
   * The Secret of an id, read from the cluster; undefined when there is none. An id is made known after its Secret was
   * made, so one that was not there is not asked about again for a while. Throws Problem rate_limited: the token may be
   * right, and may be tried again.
   * @param address of the caller
   */
  read(id: string, address: () => string): Promise<AuthSecret | undefined>
}

export interface UnknownTokenNeeds {
  readonly trusted: TrustedSecrets
  /** What ids made by this install prove themselves with; undefined while there are no users. */
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
      // Replicas of an earlier version make ids without a proof; all others of them are made up, and a caller can make
      // up many.
      if (!isProven(id, await idKey())) {
        const admitted = (await byAddress.take(callerAt(address()))) && (await together.take(everybody))
        if (!admitted) throw new Problem('rate_limited', refusals.tooManySignIns)
      }
      const found = await reads.run(() => trusted.readLive(tokenSecretName(id)))
      if (found === undefined) missedAt.set(id, clock())
      return found
    },
  }
}
