/** Which volumes are almost full, by the metrics that kubelets report to the metrics store. */
import { setTimeout as wait } from 'node:timers/promises'
import type { FullVolume } from '../../kinds/pods/full-volumes.ts'
import { fullVolumes } from '../../kinds/metrics/queries.ts'
import { MetricsUnavailable } from '../../outside/metrics/prometheus.ts'
import type { Needs } from './needs.ts'

/** The store is queried again after half a minute: it has no new scrape before. */
const freshMs = 30_000
/** A read of records waits for the query no longer than this; the next read has its result. */
const waitMaxMs = 300
/** The last result counts so long while the store does not answer. */
const keptMs = 5 * 60_000

/** The almost full volumes, at most half a minute old; none while the store has not answered for `keptMs`. */
export function createFullVolumes({
  metrics,
  clock,
  log,
}: Pick<Needs, 'metrics' | 'clock' | 'log'>): () => Promise<readonly FullVolume[]> {
  let known: readonly FullVolume[] = []
  let [askedAt, answeredAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let asking: Promise<void> | undefined

  async function ask(): Promise<void> {
    try {
      const found = await metrics.instant(fullVolumes)
      known = found.map(({ labels, value }) => ({
        namespace: labels['namespace'] ?? '',
        claim: labels['persistentvolumeclaim'] ?? '',
        share: value,
      }))
      answeredAt = clock()
    } catch (error) {
      if (!(error instanceof MetricsUnavailable)) throw error
      log.debug({ err: error }, 'the metrics store could not be asked for full volumes')
    }
  }

  return async () => {
    if (clock() - askedAt >= freshMs && asking === undefined) {
      askedAt = clock()
      asking = ask().finally(() => (asking = undefined))
    }
    if (asking !== undefined) await Promise.race([asking, wait(waitMaxMs, undefined, { ref: false })])
    return clock() - answeredAt < keptMs ? known : []
  }
}
