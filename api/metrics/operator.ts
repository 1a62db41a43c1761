/** `GET /operator/metrics`: how svc's own processes do, out of what they tell the metrics store. */
import { operatorQueries } from '../../kinds/metrics/queries.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { readSeries } from '../views/read-series.ts'

export const operator =
  (needs: Needs): Handler<'metrics.operator'> =>
  async ({ params }) =>
    await readSeries(needs, params.window, operatorQueries)
