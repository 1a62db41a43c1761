/** What the processes of svc itself use. */
import { useState } from 'react'
import { useRead } from '../data/queries.ts'
import { MetricsCharts, readEveryMs, type MetricsWindow } from '../ui/metrics.tsx'
import { Panel } from '../ui/panel.tsx'

export function OperatorMetrics() {
  const [window, choose] = useState<MetricsWindow>('1h')
  const metrics = useRead('metrics.operator', { window }, { everyMs: readEveryMs, keep: true })
  return (
    <Panel title="The processes of svc">
      <MetricsCharts of={metrics} window={window} choose={choose} />
    </Panel>
  )
}
