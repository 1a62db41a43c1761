/** Runs the tests, a whole run in three lanes; see `npm test -- --help`. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { constants } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import type Mocha from 'mocha'
import { whenAsked } from '../one-machine/processes/index.ts'
import { endLeftoversAtEnd } from './harness/leftovers.ts'
import { keepTimesOf, makeAhead } from './harness/servers.ts'
import { afterUse, stopStack } from './harness/stack.ts'
import { extendLimits } from './harness/time-limits.ts'
import { endSharedWorker, withoutWorker } from './harness/worker.ts'
import { type Given, runLanes, type Report } from './lanes.ts'
import { lanes } from './queue.ts'
import { runFiles } from './run-files.ts'
import { countFiles, secondTriesMost } from './second-try.ts'
import { countTimes, timesTable } from './times.ts'

/**
 * For each process that a run starts: npm installs no symbolic link that a module is loaded by, and looking for one in
 * every folder of every path takes a seventh of the time in which a worker loads its modules.
 */
process.env['NODE_PRESERVE_SYMLINKS'] ??= '1'

const root = join(import.meta.dirname, '..')
// What needs a whole stack, minutes of its own or packages from a registry runs when its folder is named.
const elsewhere = [
  'test/api/prometheus',
  'test/kill',
  'test/harness',
  'test/kinds/backup-archives/point-in-time',
  'test/mcp-clients',
  'test/one-machine/backups-node',
  'test/one-machine/builds-node',
  'test/one-machine/cnpg-node',
  'test/one-machine/databases-node',
  'test/one-machine/functions-node',
  'test/one-machine/ingress-node',
  'test/one-machine/keda-node',
  'test/one-machine/logs-node',
  'test/one-machine/metrics-node',
  'test/one-machine/start-node',
  'test/schemathesis',
  'test/serverless',
  'test/vm',
]

const help = `Usage: npm test [-- PATTERN…]

Runs every test, in three lanes; the last line is \`N passed, N failed\`. Up to ${secondTriesMost} files that failed run once more by
themselves, and what passes only then is named. A pattern is a part of a file's path, a folder, or a part of a test's
title. These folders run only when they are named:

${elsewhere.map((folder) => `  ${folder}`).join('\n')}
`

interface Choice {
  /** Resolves to the next file of the repository, at the end to nothing. */
  next: () => Promise<string | undefined>
  grep?: string
}

const allFiles = (patterns: readonly string[]): string[] => {
  const exclude = elsewhere
    .filter((folder) => !patterns.some((pattern) => `${pattern}/`.startsWith(`${folder}/`)))
    .map((folder) => `${folder}/**`)
  return globSync('test/**/*.test.ts', { cwd: root, exclude }).toSorted()
}

/** A pattern matches part of a file's path or else of a test's title. */
function choose(patterns: readonly string[]): Choice {
  const all = allFiles(patterns)
  const files = all.filter((file) => patterns.some((pattern) => file.includes(relative(root, join(root, pattern)))))
  return files.length > 0 ? { next: oneAfterAnother(files) } : { next: oneAfterAnother(all), grep: patterns.join(' ') }
}

function oneAfterAnother(files: readonly string[]): Choice['next'] {
  const left = [...files]
  return () => Promise.resolve(left.shift())
}

/** The process of a lane asks its parent, which knows what the other lanes have run. */
async function nextOfParent(): Promise<string | undefined> {
  const given = once(process, 'message')
  process.send?.({ asks: true })
  const [{ file }] = (await given) as [Given]
  return file
}

async function run({ next, grep }: Choice): Promise<Mocha.Stats> {
  endLeftoversAtEnd()
  let report: Report = { times: {}, files: {} }
  const stats = await runFiles((all) => (report = { times: countTimes(all, root), files: countFiles(all, root) }), {
    next: async () => {
      const file = await next()
      return file === undefined ? undefined : join(root, file)
    },
    before: async (file) => {
      // Without the titles of the tests it is not known which file really runs next.
      await (grep === undefined ? endSharedWorker(file) : withoutWorker())
      // What could not be removed makes later tests slower, and no test wrong.
      await afterUse(forgetLeft).catch((error: unknown) => console.error('  what a test file left stays:', error))
    },
    begin: (runner) => {
      keepTimesOf(runner)
      extendLimits(runner)
    },
    grep,
  })
  await stopStack().catch((error: unknown) => {
    console.error(error)
    stats.failures += 1
  })
  process.send?.(report)
  return stats
}

/** Imported only where servers were used: runs of pure rules are to begin at once. */
async function forgetLeft(): Promise<void> {
  const { forgetAll } = await import('./harness/forget-records.ts')
  await forgetAll()
}

/** A failure is reported by every test that needs a worker or an api. */
async function compileAhead(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(root, 'test/harness/compile.ts')]).catch(() => undefined)
}

/** Prints the last line and ends the process, even if a test left a handle open. */
function finish(passed: number, failed: number): never {
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed === 0 ? 0 : 1)
}

/** Also stops when the parent run of this lane was killed. */
function stopWhenAsked(): void {
  whenAsked((signal) => {
    console.error(`\n${signal}: stopping the servers`)
    void stopStack().finally(() => process.exit(128 + constants.signals[signal]))
  })
  process.once('disconnect', () => process.kill(0, 'SIGTERM'))
}

try {
  const patterns = process.argv.slice(2)
  if (patterns.some((pattern) => pattern === '--help' || pattern === '-h')) {
    process.stdout.write(help)
    process.exit()
  }
  if (patterns.length === 0) {
    await Promise.all([makeAhead(), compileAhead()])
    const { passed, failed, times } = await runLanes(allFiles([]))
    console.log(timesTable(times))
    finish(passed, failed)
  }
  stopWhenAsked()
  const isOfLane = process.send !== undefined && lanes.some((lane) => patterns[0] === `--lane=${lane}`)
  const { passes, failures, pending } = await run(isOfLane ? { next: nextOfParent } : choose(patterns))
  if (pending > 0) console.log(`${pending} skipped`)
  if (passes + failures + pending === 0) console.error(`no test matches ${patterns.join(' ')}`)
  finish(passes, passes + failures + pending === 0 ? 1 : failures)
} catch (error) {
  console.error(error)
  await stopStack()
  finish(0, 1)
}
