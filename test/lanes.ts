/**
 * A whole run in three parallel processes that take about the same time: most tests of workflows, those of one machine,
 * and all others. Tests wait more than they compute, so two cores carry three.
 */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { secondTry, type Counts, type FileCounts } from './second-try.ts'
import type { Times } from './times.ts'

export const lanes = ['workflows', 'machine', 'others'] as const
export type Lane = (typeof lanes)[number]

/** Each lane starts its servers on ports of its own: all pick a free one a while before a server listens on it. */
const ports: Readonly<Record<Lane, string>> = { workflows: '1/3', machine: '2/3', others: '3/3' }

/** Tests that other lanes have time for. */
const movedTests: readonly (readonly [RegExp, Lane])[] = [
  [/^test\/workflows\/(backup.*|crash|releases|schedules.*|stuck-runs)\.test\.ts$/, 'machine'],
  [/^test\/workflows\/(logical-backups.*|(remote|object)-stores-kill)\.test\.ts$/, 'machine'],
  [/^test\/dashboard\/(killed|states)\.test\.ts$/, 'machine'],
  [/^test\/rules\/secret-references\.test\.ts$/, 'machine'],
  [/^test\/workflows\/(githost-.*|pull-requests.*)\.test\.ts$/, 'machine'],
  [/^test\/dashboard\/accessible\.test\.ts$/, 'workflows'],
]

function laneOf(file: string): Lane {
  const moved = movedTests.find(([pattern]) => pattern.test(file))
  if (moved !== undefined) return moved[1]
  if (file.startsWith('test/workflows/')) return 'workflows'
  return file.startsWith('test/one-machine/') ? 'machine' : 'others'
}

const isOfNode = (file: string): boolean => /^test\/one-machine\/[^/]*node[^/]*\.test\.ts$/.test(file)

/** Tests that ask for MinIO or rqlite, which are among the last servers that a machine without any gets. */
const late = [
  'test/cli/real-store-waits',
  'test/kinds/backup-archives/',
  'test/outside/databases/query-others',
  'test/workflows/backup',
  'test/workflows/drills',
  'test/workflows/object-stores',
  'test/workflows/pull-requests-data',
]

/** Tests of pages without the worker that the others of their folder share: after those it is started once. */
export const withoutShared = [
  'all-settings',
  'bucket-backups',
  'build-log',
  'clouds',
  'connect-database',
  'database-query',
  'databases',
  'from-git',
  'function',
  'killed',
  'lost-stream',
  'metrics',
  'palette',
  'pending',
  'placement',
  'requests',
  'servers',
  'sleeping',
  'viewer',
].map((name) => `test/dashboard/${name}.test.ts`)

/** Begins with no worker at all, and failed after the tests of workflows in its lane: it comes before them. */
const beforeOthers = 'test/dashboard/killed.test.ts'

function turnOf(file: string): number {
  if (file === beforeOthers) return -1
  if (isOfNode(file)) return 3
  if (late.some((start) => file.startsWith(start))) return 2
  return withoutShared.includes(file) ? 1 : 0
}

/**
 * The files of a lane in the order in which their servers are made, those that share a worker together: tests of real
 * nodes come last.
 */
export function filesOf(lane: Lane, files: readonly string[]): string[] {
  return files.filter((file) => laneOf(file) === lane).toSorted((a, b) => turnOf(a) - turnOf(b))
}

/** Without output for this long, the run prints a line that says what is running. */
const silenceMs = 20_000

/** What a run reports to its parent: the durations and the counts of its files. */
export interface Report {
  times: Times
  files: FileCounts
}

type Show = (text: string) => void

/**
 * Prints the output of each suite in one piece at its end, and the failures at the very end; few files that failed run
 * once more. A lane that ends without a result counts as failed.
 */
export async function runLanes(): Promise<Counts & { times: Times }> {
  const running = new Map<string, string>()
  const report: Report = { times: {}, files: {} }
  let shownAt = performance.now()
  const show = (text: string): void => {
    console.log(text)
    shownAt = performance.now()
  }
  const timer = setInterval(() => {
    if (performance.now() - shownAt >= silenceMs) show(`  … ${[...running.values()].join('; ')}`)
  }, silenceMs / 4)
  const run = (name: string, args: readonly string[], share: string, into: Report) =>
    runChild(args, share, show, (suite) => running.set(name, suite), into).finally(() => running.delete(name))
  const ended = await Promise.all(lanes.map((lane) => run(lane, [`--lane=${lane}`], ports[lane], report)))
  for (const { summary } of ended) show(summary)
  const first = { passed: sum(ended, 'passed'), failed: sum(ended, 'failed') }
  const counts = await secondTry(first, report.files, show, async (files) => {
    const { summary, ...second } = await run('the second try', files, ports.others, { times: {}, files: {} })
    show(summary)
    return second
  })
  clearInterval(timer)
  return { ...counts, times: report.times }
}

const sum = (all: readonly Counts[], what: keyof Counts): number =>
  all.reduce((total, counts) => total + counts[what], 0)

/** Runs tests in a process of their own, on its share of the ports, and adds what that process reports to `report`. */
async function runChild(
  args: readonly string[],
  share: string,
  show: Show,
  begin: (suite: string) => void,
  report: Report,
): Promise<Counts & { summary: string }> {
  const env = { ...process.env, SVC_TEST_PORTS: share, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}) }
  // A process group of its own: the child gets Ctrl-C only once, through this process, and notices the end of this
  // process by the closed channel.
  const child = fork(join(import.meta.dirname, 'run.ts'), args, {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  child.on('message', ({ times, files }: Report) => {
    Object.assign(report.times, times)
    Object.assign(report.files, files)
  })
  const forward = (signal: NodeJS.Signals): void => {
    // Kills the child together with what its tests started.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, forward)
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  const blocks = createBlocks(show, begin)
  if (child.stdout !== null) for await (const line of createInterface({ input: child.stdout })) blocks.take(line)
  const code = await exit
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, forward)
  const { summary, counts } = blocks.end()
  if (counts === undefined) {
    const sentence = `the run of ${args.join(' ')} ended without a result (exit code ${code})`
    return { passed: 0, failed: 1, summary: `${summary}\n  ${sentence}` }
  }
  // The child failed without a failed test, so it was cut short.
  return { ...counts, failed: code !== 0 && counts.failed === 0 ? 1 : counts.failed, summary }
}

const isSuite = (text: string): boolean => /^ {2}\S/.test(text)
const isSummary = (text: string): boolean => /^ {2}\d+ passing/.test(text)
const lastLine = /^(\d+) passed, (\d+) failed$/

/**
 * Splits mocha's output into its outermost suites and shows each in one piece; the rest after them is kept for the end.
 */
export function createBlocks(show: (block: string) => void, begin: (suite: string) => void) {
  let block: string[] = []
  let inSummary = false
  let counts: Counts | undefined
  const flush = (): void => {
    if (block.length > 0) show(block.join('\n'))
    block = []
  }
  return {
    take(line: string): void {
      const text = stripVTControlCharacters(line)
      const [all, passed, failed] = lastLine.exec(text) ?? []
      if (all !== undefined) counts = { passed: Number(passed), failed: Number(failed) }
      else {
        if (!inSummary && isSuite(text)) {
          flush()
          inSummary = isSummary(text)
          if (!inSummary) begin(text.trim())
        }
        block.push(line)
      }
    },
    end: () => ({ summary: block.join('\n'), counts }),
  }
}
