/** One chart of series over time, drawn on a canvas; its last values stand beside it as text. */
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'

export interface Point {
  /** Seconds since the epoch. */
  readonly t: number
  readonly v: number
}

export interface Line {
  readonly label: string
  readonly points: readonly Point[]
}

interface Props {
  readonly title: string
  /** Drawn in the colours below, in this order. */
  readonly lines: readonly Line[]
  readonly text: (value: number) => string
  /** What the whole chart covers, in seconds since the epoch, so that charts of a page line up. */
  readonly span: readonly [from: number, to: number]
}

const height = 140
/** Wide enough for most values, so that the charts of a page line up; wider values make their axis wider. */
const axisWidth = 80
const axisGap = 5
const axisFont = '12px system-ui, sans-serif'
const colours = ['accent', 'draft'] as const
const swatches = ['bg-accent', 'bg-draft'] as const

export function Chart({ title, lines, text, span }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<UPlot>(null)
  const data = dataOf(lines)
  const latest = useRef({ data, span })
  latest.current = { data, span }
  const labels = lines.map(({ label }) => label).join('\n')
  useEffect(() => {
    const at = box.current
    if (at === null) return undefined
    const draw = () => {
      chart.current?.destroy()
      chart.current = new UPlot(
        optionsOf(at, labels.split('\n'), text, () => latest.current.span),
        latest.current.data,
        at,
      )
    }
    draw()
    const size = new ResizeObserver(() => chart.current?.setSize({ width: at.clientWidth, height }))
    size.observe(at)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', draw)
    const theme = new MutationObserver(draw)
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      size.disconnect()
      dark.removeEventListener('change', draw)
      theme.disconnect()
      chart.current?.destroy()
      chart.current = null
    }
  }, [labels, text])
  useEffect(() => chart.current?.setData(data), [data])
  return (
    <figure className="flex flex-col gap-2 rounded-lg border border-line bg-raised p-4">
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-semibold">{title}</span>
        <span className="flex flex-wrap gap-x-3 text-xs text-muted tabular-nums">
          {lines.map(({ label, points }, at) => (
            <span key={label} className="inline-flex items-center gap-1.5">
              <span aria-hidden className={`size-2 rounded-full ${swatches[at % swatches.length]}`} />
              {lines.length > 1 && label} {lastText(points, text)}
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={box} role="img" aria-label={`${title}: ${wordsOf(lines, text)}`} />
    </figure>
  )
}

/** One row of times and one row of values for each line, with null where a line has no value. */
function dataOf(lines: readonly Line[]): UPlot.AlignedData {
  const times = [...new Set(lines.flatMap(({ points }) => points.map(({ t }) => t)))].toSorted((a, b) => a - b)
  const rows = lines.map(({ points }) => {
    const values = new Map(points.map(({ t, v }) => [t, v]))
    return times.map((t) => values.get(t) ?? null)
  })
  return [times, ...rows]
}

function lastText(points: readonly Point[], text: (value: number) => string): string {
  const last = points.at(-1)
  return last === undefined ? 'no data' : text(last.v)
}

const wordsOf = (lines: readonly Line[], text: (value: number) => string): string =>
  lines
    .map(({ label, points }) => {
      if (points.length === 0) return `${label} no data`
      return `${label} ${lastText(points, text)} now, ${text(Math.max(...points.map(({ v }) => v)))} at most`
    })
    .join('; ')

function optionsOf(
  at: HTMLElement,
  labels: readonly string[],
  text: (value: number) => string,
  span: () => readonly [number, number],
): UPlot.Options {
  const axis = {
    stroke: colourOf(at, 'muted'),
    grid: { stroke: colourOf(at, 'line'), width: 1 },
    ticks: { show: false },
    font: axisFont,
    gap: axisGap,
  }
  return {
    width: at.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false } },
    scales: {
      x: { range: () => [...span()] as [number, number] },
      y: { range: (_, __, max) => [0, Math.max(max, 1e-3) * 1.1] },
    },
    tzDate: (t) => UPlot.tzDate(new Date(t * 1000), 'Etc/UTC'),
    axes: [
      { ...axis, values: (_, times) => times.map(minuteText) },
      { ...axis, size: widthOf, splits: undefined, values: (_, values) => values.map(text) },
    ],
    series: [
      {},
      ...labels.map((label, index) => ({
        label,
        stroke: colourOf(at, colours[index % colours.length] ?? 'accent'),
        width: 1.5,
        points: { show: false },
      })),
    ],
  } as UPlot.Options // its types know no absent option
}

/** `13:05Z`: in UTC, as the lines of a log beside it and the command line say times. */
const minuteText = (t: number): string => `${new Date(t * 1000).toISOString().slice(11, 16)}Z`

/** The axis of these values, in pixels of the page. */
function widthOf({ ctx }: UPlot, values: readonly string[] | null): number {
  ctx.save()
  ctx.font = axisFont
  const widest = Math.max(0, ...(values ?? []).map((value) => ctx.measureText(value).width))
  ctx.restore()
  return Math.max(axisWidth, Math.ceil(widest) + axisGap)
}

/** A colour of the theme as a canvas takes it. */
function colourOf(at: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--${name})`
  at.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
