/** How the processes of svc itself do: docs/reference/logs-and-metrics.md#metrics. */
import { useState } from 'react'
import { useRead } from '../data/queries.ts'
import { eachText, MetricsCharts, readEveryMs, type ChartOf, type MetricsWindow } from '../ui/metrics.tsx'
import { Panel } from '../ui/panel.tsx'

const millis = (seconds: number): string => `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`
const count = (value: number): string => String(Math.round(value))

const charts: readonly ChartOf[] = [
  { title: 'Time of a pass', text: millis, series: { reconcileTime: '95 % within' } },
  { title: 'Passes that failed', text: eachText, series: { reconcileErrors: 'all' } },
  { title: 'Time of a call of Kubernetes', text: millis, series: { apiLatency: '95 % within' } },
  { title: 'Calls of Kubernetes', text: eachText, series: { apiRequests: 'all' } },
  { title: 'Wakes that wait for Temporal', text: count, series: { queueDepth: 'all' } },
  { title: 'Writes of status', text: eachText, series: { statusWrites: 'made', statusSkipped: 'needless' } },
]

export function OperatorMetrics() {
  const [window, choose] = useState<MetricsWindow>('1h')
  const metrics = useRead('metrics.operator', { window }, { everyMs: readEveryMs, keep: true })
  return (
    <Panel title="The processes of svc">
      <MetricsCharts of={metrics} window={window} choose={choose} charts={charts} />
    </Panel>
  )
}
