/** Reads of sign-in Secrets that may be relied on: from the cache while the watch is alive, else from the cluster. */
import { authCacheTrustMs } from '../../contract/limits.ts'
import { Problem, refusals } from '../../contract/problem.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { AuthSecret } from './auth-secret.ts'
import { BoundedMap } from '../counters/bounded-map.ts'
import type { RecordStore } from '../store/record-store.ts'

export interface TrustedSecrets {
  /**
   * The Secret as it stands, at most five seconds old even when the watch has silently stopped; undefined when there is
   * none. Throws Problem internal_error when the cache is not to be trusted and the cluster does not answer: no sign-in
   * on a guess.
   */
  read(name: string): Promise<AuthSecret | undefined>
  /** What `read` would answer without asking the cluster; undefined when it has to ask. */
  cached(name: string): AuthSecret | undefined
  /** Uncached, for what another replica may have written a moment ago. Throws like `read`. */
  readLive(name: string): Promise<AuthSecret | undefined>
}

/** More Secrets than this in use at once are confirmed more often than needed. */
const confirmedKept = 10_000

/**
 * Revoking is seen at once while the watch lives. An idle watch says nothing for a minute, so each Secret in use is
 * confirmed by one live read per five seconds.
 */
export function createTrustedSecrets(store: RecordStore<AuthSecret>, clock: () => number): TrustedSecrets {
  const { cache } = store
  const confirmedAt = new BoundedMap<string, number>(confirmedKept)
  const reading = new Map<string, Promise<AuthSecret | undefined>>()

  const readLive = async (name: string): Promise<AuthSecret | undefined> => {
    const startedAt = clock()
    const live = await store.readLive(name)
    if (live === undefined) confirmedAt.delete(name)
    else confirmedAt.set(name, startedAt)
    return live
  }

  /** Many requests about one Secret ask once. */
  const readTogether = async (name: string): Promise<AuthSecret | undefined> => {
    const pending = reading.get(name) ?? readLive(name).finally(() => reading.delete(name))
    reading.set(name, pending)
    try {
      return await pending
    } catch (error) {
      throw new Problem('internal_error', refusals.notCompleted, error)
    }
  }

  const cached = (name: string): AuthSecret | undefined => {
    const received = cache.synced && cache.ageMs() < authCacheTrustMs
    const confirmed = clock() - (confirmedAt.get(name) ?? Number.NEGATIVE_INFINITY) < authCacheTrustMs
    return received || confirmed ? cache.get(name, systemNamespace) : undefined
  }

  return {
    readLive: readTogether,
    cached,
    read: async (name) => cached(name) ?? readTogether(name),
  }
}
