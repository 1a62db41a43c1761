/** The charts of a metrics answer, over a window that is chosen. */
import { metricsWindows } from '../../contract/limits.ts'
import type { View } from '../../contract/operations.ts'
import type { Read } from '../data/queries.ts'
import { Chart } from './chart.tsx'
import { Choices } from './choices.tsx'
import { bytesText, coresText } from './meter.tsx'
import { Empty } from './notice.tsx'
import { Shown } from './read.tsx'

type Metrics = View<'apps.metrics'>
export type MetricsWindow = Metrics['window']

/** Points of the shortest window are so far apart. */
export const readEveryMs = 15_000

const seconds: Readonly<Record<MetricsWindow, number>> = { '15m': 900, '1h': 3600, '6h': 21_600, '24h': 86_400 }

const cores = (value: number): string => `${coresText(value * 1000)} cores`
const rate = (value: number): string => `${bytesText(value)}/s`
export const eachText = (value: number): string => `${value < 10 ? value.toFixed(2) : Math.round(value)}/s`

export interface ChartOf {
  readonly title: string
  readonly text: (value: number) => string
  /** Series of the answer, each with its label. */
  readonly series: Readonly<Record<string, string>>
}

const resourceCharts: readonly ChartOf[] = [
  { title: 'CPU', text: cores, series: { cpu: 'used' } },
  { title: 'Memory', text: bytesText, series: { memory: 'used' } },
  { title: 'Network', text: rate, series: { network: 'out', networkIn: 'in' } },
  { title: 'Requests', text: eachText, series: { requests: 'all' } },
  { title: 'Storage', text: bytesText, series: { storage: 'used' } },
]

interface Props {
  readonly of: Read<'apps.metrics' | 'databases.metrics' | 'projects.metrics' | 'metrics.cluster' | 'metrics.operator'>
  readonly window: MetricsWindow
  readonly choose: (window: MetricsWindow) => void
  /** In their order; those that the answer has no series for are left out. */
  readonly charts?: readonly ChartOf[]
}

export function MetricsCharts({ of: read, window, choose, charts = resourceCharts }: Props) {
  return (
    <div className="flex flex-col gap-4">
      <Choices label="Window" name="window" choices={metricsWindows} chosen={window} choose={choose} />
      <Shown of={read} what="the metrics">
        {(metrics) =>
          metrics.available ? <Charts metrics={metrics} charts={charts} /> : <Unavailable metrics={metrics} />
        }
      </Shown>
    </div>
  )
}

function Unavailable({ metrics: { message = '' } }: { metrics: Metrics }) {
  return <Empty title="No metrics">{message}</Empty>
}

function Charts({ metrics: { series, window }, charts }: { metrics: Metrics; charts: readonly ChartOf[] }) {
  const shown = charts.filter((chart) => Object.keys(chart.series).some((name) => series[name] !== undefined))
  const to = Math.max(0, ...Object.values(series).flatMap((points) => points.map(({ t }) => t)))
  if (to === 0)
    return <Empty title="No data in this window">The metrics store has no values of it for the chosen time.</Empty>
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      {shown.map(({ title, text, series: names }) => (
        <Chart
          key={title}
          title={title}
          text={text}
          span={[to - seconds[window], to]}
          lines={Object.entries(names).map(([name, label]) => ({ label, points: series[name] ?? [] }))}
        />
      ))}
    </div>
  )
}
