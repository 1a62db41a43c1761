/** Answers a metrics read with the series of a window, or with `available: false`. */
import type { View } from '../../contract/operations.ts'
import type { Queries } from '../../kinds/metrics/queries.ts'
import { MetricsUnavailable } from '../../outside/metrics/prometheus.ts'
import type { Needs } from '../context/needs.ts'

type Series = View<'metrics.cluster'>
type Window = Series['window']

const minute = 60
/** Seconds of a window and between two of its points: about sixty points. */
const windows: Readonly<Record<Window, { seconds: number; step: number }>> = {
  '15m': { seconds: 15 * minute, step: 15 },
  '1h': { seconds: 60 * minute, step: 60 },
  '6h': { seconds: 360 * minute, step: 360 },
  '24h': { seconds: 1440 * minute, step: 1440 },
}

/**
 * All series at once. Without a store that answers, `available` is false (docs/reference/logs-and-metrics.md#metrics)
 * and every series is empty, as is one that the store does not know.
 */
export async function readSeries(
  { metrics, clock, log }: Needs,
  window: Window,
  queriesOf: (step: number) => Queries,
): Promise<Series> {
  const { seconds, step } = windows[window]
  // On whole steps, so that two answers have the same value for the same moment.
  const end = Math.floor(clock() / 1000 / step) * step
  const range = { start: end - seconds, end, step }
  const queries = Object.entries(queriesOf(step))
  try {
    const points = await Promise.all(queries.map(([, query]) => metrics.range(query, range)))
    const series = Object.fromEntries(queries.map(([name], index) => [name, points[index] ?? []] as const))
    return { window, step, available: true, series }
  } catch (error) {
    if (!(error instanceof MetricsUnavailable)) throw error
    log.debug({ err: error }, 'the metrics store could not be read')
    return {
      window,
      step,
      available: false,
      message: error.message,
      series: Object.fromEntries(queries.map(([name]) => [name, []] as const)),
    }
  }
}
