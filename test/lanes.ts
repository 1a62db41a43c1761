/**
 * A whole run in three parallel processes, which end at about the same time. Tests wait more than they compute, so two
 * cores carry three.
 */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { createQueue, type Lane, lanes } from './queue.ts'
import { secondTry, type Counts, type FileCounts } from './second-try.ts'
import type { Times } from './times.ts'

/** Each lane starts its servers on ports of its own: all pick a free one a while before a server listens on it. */
const ports: Readonly<Record<Lane, string>> = { workflows: '1/3', machine: '2/3', others: '3/3' }

/** Without output for this long, the run prints a line that says what is running. */
const silenceMs = 20_000

/** What a run reports to its parent: the durations and the counts of its files. */
export interface Report {
  times: Times
  files: FileCounts
}

/** The process of a lane asks for its next file. */
interface Asks {
  asks: true
}

/** The answer; without a file the lane has run its last one. */
export interface Given {
  file?: string | undefined
}

type Show = (text: string) => void

/**
 * Prints the output of each suite in one piece at its end, and the failures at the very end; few files that failed run
 * once more. A lane that ends without a result counts as failed.
 */
export async function runLanes(all: readonly string[]): Promise<Counts & { times: Times }> {
  const queue = createQueue(all)
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
  const run = (name: string, args: readonly string[], share: string, into: Report, lane?: Lane) =>
    runChild(args, share, {
      show,
      begin: (suite) => running.set(name, suite),
      next: () => (lane === undefined ? undefined : queue.take(lane)),
      report: into,
    }).finally(() => running.delete(name))
  const ended = await Promise.all(lanes.map((lane) => run(lane, [`--lane=${lane}`], ports[lane], report, lane)))
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

interface Watching {
  show: Show
  begin: (suite: string) => void
  next: () => string | undefined
  report: Report
}

/** Runs tests in a process of their own, on its share of the ports, and adds what that process reports to `report`. */
async function runChild(
  args: readonly string[],
  share: string,
  { show, begin, next, report }: Watching,
): Promise<Counts & { summary: string }> {
  const env = { ...process.env, SVC_TEST_PORTS: share, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}) }
  // A process group of its own: the child gets Ctrl-C only once, through this process, and notices the end of this
  // process by the closed channel.
  const child = fork(join(import.meta.dirname, 'run.ts'), args, {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  child.on('message', (said: Report | Asks) => {
    if ('asks' in said) {
      // One that has just ended gets no answer, and its end is reported below.
      child.send({ file: next() } satisfies Given, () => undefined)
      return
    }
    Object.assign(report.times, said.times)
    Object.assign(report.files, said.files)
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
