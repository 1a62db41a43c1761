/** Metrics of a service: CPU, memory, network and requests over a window of time. */
import { useState } from 'react'
import { useRead } from '../../data/queries.ts'
import { MetricsCharts, readEveryMs, type MetricsWindow } from '../../ui/metrics.tsx'
import type { ServiceProps } from '../service-props.ts'

export function Metrics({ app }: ServiceProps) {
  const [window, choose] = useState<MetricsWindow>('1h')
  const metrics = useRead('apps.metrics', { app, window }, { everyMs: readEveryMs, keep: true })
  return <MetricsCharts of={metrics} window={window} choose={choose} />
}
