/** Metrics of the whole cluster and of svc itself. */
import type { OperationsOf } from '../../contract/operations.ts'
import { clusterQueries, operatorQueries } from '../../kinds/metrics/queries.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { readSeries } from '../views/read-series.ts'

export const metricsHandlers = (needs: Needs) =>
  ({
    'metrics.cluster': cluster(needs),
    'metrics.operator': operator(needs),
  }) satisfies HandlerTable<OperationsOf<'metrics'>>

/** `GET /cluster/metrics`: the resources that all pods together use. */
const cluster =
  (needs: Needs): Handler<'metrics.cluster'> =>
  async ({ params }) =>
    await readSeries(needs, params.window, clusterQueries)

/** `GET /operator/metrics`: the state of svc's own processes, by their metrics in the metrics store. */
const operator =
  (needs: Needs): Handler<'metrics.operator'> =>
  async ({ params }) =>
    await readSeries(needs, params.window, operatorQueries)
