/** Runs the tests, a whole run in three lanes; see `npm test -- --help`. */
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { constants } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import Mocha from 'mocha'
import { whenAsked } from '../one-machine/processes/index.ts'
import { mochaHooks } from './harness/hooks.ts'
import { endLeftovers } from './harness/leftovers.ts'
import { keepTimesOf, makeAhead } from './harness/servers.ts'
import { stopStack } from './harness/stack.ts'
import { extendLimits } from './harness/time-limits.ts'
import { endSharedWorker, withoutWorker } from './harness/worker.ts'
import { filesOf, lanes, runLanes, type Report } from './lanes.ts'
import { countFiles, secondTriesMost } from './second-try.ts'
import { countTimes, timesTable } from './times.ts'

/**
 * For each process that a run starts: npm installs no symbolic link that a module is loaded by, and looking for one in
 * every folder of every path takes a seventh of the time in which a worker loads its modules.
 */
process.env['NODE_PRESERVE_SYMLINKS'] ??= '1'

const root = join(import.meta.dirname, '..')
const testTimeoutMs = 30_000
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
  files: string[]
  grep?: string
}

/** A pattern matches part of a file's path or else of a test's title, or names a lane of a whole run. */
function choose(patterns: readonly string[]): Choice {
  const exclude = elsewhere
    .filter((folder) => !patterns.some((pattern) => `${pattern}/`.startsWith(`${folder}/`)))
    .map((folder) => `${folder}/**`)
  const all = globSync('test/**/*.test.ts', { cwd: root, exclude }).toSorted()
  const lane = lanes.find((each) => patterns[0] === `--lane=${each}`)
  if (lane !== undefined) return { files: filesOf(lane, all) }
  const files = all.filter((file) => patterns.some((pattern) => file.includes(relative(root, join(root, pattern)))))
  return files.length > 0 ? { files } : { files: all, grep: patterns.join(' ') }
}

async function run(choice: Choice): Promise<Mocha.Stats | undefined> {
  const mocha = new Mocha({
    timeout: testTimeoutMs,
    forbidOnly: true,
    rootHooks: mochaHooks,
    ...(choice.grep === undefined ? {} : { fgrep: choice.grep }),
  })
  for (const file of choice.files) mocha.addFile(join(root, file))
  await mocha.loadFilesAsync()
  // Suites without a chosen title do not run: which one comes next is not known then.
  endLeftovers(mocha, choice.grep === undefined ? endSharedWorker : withoutWorker)
  return await new Promise((resolve) => {
    const runner = mocha.run(() => {
      process.send?.(report)
      resolve(runner.stats)
    })
    keepTimesOf(runner)
    extendLimits(runner)
    const report: Report = { times: countTimes(runner, root), files: countFiles(runner, root) }
  })
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
    const { passed, failed, times } = await runLanes()
    console.log(timesTable(times))
    finish(passed, failed)
  }
  stopWhenAsked()
  const stats = await run(choose(patterns))
  const { passes = 0, failures = 0, pending = 0 } = stats ?? {}
  if (pending > 0) console.log(`${pending} skipped`)
  if (passes + failures + pending === 0) console.error(`no test matches ${patterns.join(' ')}`)
  finish(passes, passes + failures + pending === 0 ? 1 : failures)
} catch (error) {
  // A test file could not be loaded, so no test ran.
  console.error(error)
  await stopStack()
  finish(0, 1)
}
