/** The durations of a run: milliseconds of tests and hooks per file, and a table of them per folder. */
import { dirname, relative } from 'node:path'
import type { Runner } from 'mocha'

/** Milliseconds by file of the repository. */
export type Times = Record<string, number>

const folderDepth = 2
const slowestShare = 0.1
const rowsMost = 12

/** Starts counting; the times are complete when the run is over. */
export function countTimes(runner: Runner, root: string): Times {
  const times: Times = {}
  const add = (file: string | undefined, ms: number | undefined): void => {
    if (file === undefined || ms === undefined) return
    const name = relative(root, file)
    times[name] = (times[name] ?? 0) + ms
  }
  runner.on('test end', ({ file, duration }) => add(file, duration))
  runner.on('hook end', ({ file, parent, duration }) => add(file ?? parent?.file, duration))
  return times
}

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0)
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(0).padStart(6)} s`

/** The slowest folders and files; a few files often take most of the time. */
export function timesTable(times: Times): string {
  const files = Object.entries(times).toSorted(([, a], [, b]) => b - a)
  const total = sum(files.map(([, ms]) => ms))
  const folders = Map.groupBy(files, ([file]) => dirname(file).split('/').slice(0, folderDepth).join('/'))
  const byFolder = [...folders].map(([folder, of]): [string, number] => [folder, sum(of.map(([, ms]) => ms))])
  const slowest = files.slice(0, Math.ceil(files.length * slowestShare))
  const share = Math.round((100 * sum(slowest.map(([, ms]) => ms))) / Math.max(1, total))
  const rows = (entries: readonly [string, number][]): string[] =>
    entries.slice(0, rowsMost).map(([name, ms]) => `${seconds(ms)}  ${name}`)
  return [
    `times of tests and hooks, ${seconds(total).trim()} in all, by folder:`,
    ...rows(byFolder.toSorted(([, a], [, b]) => b - a)),
    `by file; the slowest tenth takes ${share} %:`,
    ...rows(slowest),
  ].join('\n')
}
