/** What the copies in an environment use together; nothing where no metrics store is there. */
import { useState } from 'react'
import { useRead } from '../data/queries.ts'
import { MetricsCharts, readEveryMs, type MetricsWindow } from '../ui/metrics.tsx'
import { Panel } from '../ui/panel.tsx'

export function Usage({ project, environment }: { project: string; environment: string }) {
  const [window, choose] = useState<MetricsWindow>('1h')
  const of = { project, environment, window }
  const metrics = useRead('projects.metrics', of, { everyMs: readEveryMs, keep: true })
  if (metrics.data?.available !== true) return null
  return (
    <Panel title="Usage" note={`of all that runs in ${environment}`}>
      <MetricsCharts of={metrics} window={window} choose={choose} />
    </Panel>
  )
}
