/** `GET /cluster/metrics`: what all pods use together. */
import { clusterQueries } from '../../kinds/metrics/queries.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { readSeries } from '../views/read-series.ts'

export const cluster =
  (needs: Needs): Handler<'metrics.cluster'> =>
  async ({ params }) =>
    await readSeries(needs, params.window, clusterQueries)
