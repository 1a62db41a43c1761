/** Metrics of the cluster and of svc's own processes. */
import { z } from 'zod'
import { metricsQuery, metricsView } from '../fields/metrics.ts'
import { operation } from '../operation.ts'

const tag = 'Cluster'

export const metricsOperations = {
  'metrics.cluster': operation({
    summary: 'Read the metrics of the cluster',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/cluster/metrics' },
    dashboard: { method: 'GET', path: '/api/cluster/metrics' },
    params: z.object(metricsQuery),
    view: metricsView,
  }),
  'metrics.operator': operation({
    summary: "Read the metrics of the platform's own processes",
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/operator/metrics' },
    dashboard: { method: 'GET', path: '/api/operator/metrics' },
    params: z.object(metricsQuery),
    view: metricsView,
  }),
} as const
