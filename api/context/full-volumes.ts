/** Which volumes are almost full, by what the metrics store says of the kubelets. */
import { setTimeout as wait } from 'node:timers/promises'
import type { FullVolume } from '../../kinds/pods/full-volumes.ts'
import { fullVolumes } from '../../kinds/metrics/queries.ts'
import { MetricsUnavailable } from '../../outside/metrics/prometheus.ts'
import type { Needs } from './needs.ts'

/** Asked again after half a minute, which is what stores need for another scrape. */
const freshMs = 30_000
/** A read of records waits no longer than this for it; the next one has the answer. */
const waitMaxMs = 300
/** What a store said before it fell silent counts so long. */
const keptMs = 5 * 60_000

/** The volumes as they were at most half a minute ago; none without a store that answers. */
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
