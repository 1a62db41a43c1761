/** Reliable reads of the Secrets for signing in: from the cache while its watch is alive, else live. */
import { authCacheTrustMs } from '../../contract/limits.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { AuthSecret } from './auth-secret.ts'
import { BoundedMap } from '../counters/bounded-map.ts'
import type { RecordStore } from '../store/record-store.ts'

export interface TrustedSecrets {
  /**
   * The current Secret, at most five seconds old even when the watch has silently stopped; undefined when it does not
   * exist. Throws ClusterError when the cache is too old and the API server does not answer: no sign-in is accepted on
   * outdated data.
   */
  read(name: string): Promise<AuthSecret | undefined>
  /** What `read` returns without a live read; undefined when one is needed. */
  cached(name: string): AuthSecret | undefined
  /** Always a live read, for a Secret that another replica may have written a moment ago. Throws like `read`. */
  readLive(name: string): Promise<AuthSecret | undefined>
}

/** So many confirmations are kept; with more Secrets in use, some are confirmed more often than needed. */
const confirmedKept = 10_000

/**
 * While the watch is alive, a revoked token is refused at once. An idle watch sends nothing for a minute, so each
 * Secret in use is confirmed by one live read per five seconds.
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

  /** Concurrent requests for one Secret share a read. */
  const readTogether = (name: string): Promise<AuthSecret | undefined> => {
    const pending = reading.get(name) ?? readLive(name).finally(() => reading.delete(name))
    reading.set(name, pending)
    return pending
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
