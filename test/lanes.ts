/** A whole run in two parallel processes that take about the same time: most tests of workflows, and all others. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import type { Times } from './times.ts'

export const lanes = ['workflows', 'others'] as const
export type Lane = (typeof lanes)[number]

/** Each lane starts its servers on ports of its own: both pick a free one a while before a server listens on it. */
const ports: Readonly<Record<Lane, string>> = { workflows: '1/2', others: '2/2' }

/** Tests of workflows that the others lane has time for: those of kills bring their own servers. */
const withOthers = /^test\/workflows\/(.*-kills|githost-.*|schedules.*)\.test\.ts$/
const laneOf = (file: string): Lane =>
  file.startsWith('test/workflows/') && !withOthers.test(file) ? 'workflows' : 'others'
const isOfNode = (file: string): boolean => /^test\/one-machine\/[^/]*node[^/]*\.test\.ts$/.test(file)

/** Tests that ask for MinIO or rqlite, which are among the last servers that a machine without any gets. */
const late = [
  'test/kinds/backup-archives/scripts',
  'test/outside/databases/query-others',
  'test/workflows/backup',
  'test/workflows/drills',
  'test/workflows/object-stores',
  'test/workflows/pull-requests-data',
]

const turnOf = (file: string): number => (isOfNode(file) ? 2 : late.some((start) => file.startsWith(start)) ? 1 : 0)

/** The files of a lane in the order in which their servers are made: tests of real nodes come last. */
export function filesOf(lane: Lane, files: readonly string[]): string[] {
  return files.filter((file) => laneOf(file) === lane).toSorted((a, b) => turnOf(a) - turnOf(b))
}

/** Without output for this long, the run prints a line that says what is running. */
const silenceMs = 20_000

export interface Counts {
  passed: number
  failed: number
}

/**
 * Prints the output of each suite in one piece at its end, and the failures at the very end. A lane that ends without a
 * result counts as failed.
 */
export async function runLanes(): Promise<Counts & { times: Times }> {
  const running = new Map<Lane, string>()
  const times: Times = {}
  let shownAt = performance.now()
  const show = (text: string): void => {
    console.log(text)
    shownAt = performance.now()
  }
  const timer = setInterval(() => {
    if (performance.now() - shownAt >= silenceMs) show(`  … ${[...running.values()].join('; ')}`)
  }, silenceMs / 4)
  const ended = await Promise.all(lanes.map((lane) => runLane(lane, show, running, times)))
  clearInterval(timer)
  for (const { summary } of ended) console.log(summary)
  return { passed: sum(ended, 'passed'), failed: sum(ended, 'failed'), times }
}

const sum = (all: readonly Counts[], what: keyof Counts): number =>
  all.reduce((total, counts) => total + counts[what], 0)

/** Runs one lane; writes the current suite to `running`, and the durations of its files to `times`. */
async function runLane(
  lane: Lane,
  show: (text: string) => void,
  running: Map<Lane, string>,
  times: Times,
): Promise<Counts & { summary: string }> {
  const env = { ...process.env, SVC_TEST_PORTS: ports[lane], ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}) }
  // A process group of its own: the lane gets Ctrl-C only once, through this process, and notices the end of this
  // process by the closed channel.
  const child = fork(join(import.meta.dirname, 'run.ts'), [`--lane=${lane}`], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  child.on('message', (message) => void Object.assign(times, message))
  const forward = (signal: NodeJS.Signals): void => {
    // Kills the lane together with what its tests started.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, forward)
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  const blocks = createBlocks(show, (suite) => running.set(lane, suite))
  if (child.stdout !== null) for await (const line of createInterface({ input: child.stdout })) blocks.take(line)
  const code = await exit
  running.delete(lane)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, forward)
  const { summary, counts } = blocks.end()
  if (counts === undefined)
    return {
      passed: 0,
      failed: 1,
      summary: `${summary}\n  the lane ${lane} ended without a result (exit code ${code})`,
    }
  // The lane failed without a failed test, so it was cut short.
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
