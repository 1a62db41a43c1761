/** Test files one after another, each loaded when its turn comes, in one report with one summary. */
import { inspect } from 'node:util'
import Mocha from 'mocha'
import { endLeftovers } from './harness/leftovers.ts'

const testTimeoutMs = 30_000

interface Options {
  /** The next file as an absolute path; nothing at the end of the run. */
  next: () => Promise<string | undefined>
  /** Runs before each file is loaded. */
  before: (file: string) => Promise<void>
  /** Receives the runner of each file before its first test. */
  begin: (runner: Mocha.Runner) => void
  /** Part of the titles of the tests that run. */
  grep: string | undefined
}

/**
 * Runs the files and resolves to the counts of all. `watch` gets a runner with the events of every file, as if one
 * runner had run them. A file that cannot be loaded counts as a failed test.
 */
export async function runFiles(watch: (all: Mocha.Runner) => void, options: Options): Promise<Mocha.Stats> {
  const all = new Mocha.Runner(new Mocha.Suite('', new Mocha.Context()), {})
  all.stats = countAll(all)
  // Numbers the failures of all files, and prints them at the end.
  const { stats } = new Mocha.reporters.Spec(all)
  watch(all)
  all.emit(EVENT_RUN_BEGIN)
  for (;;) {
    const file = await guarded(options.next)
    if (file === undefined) break
    await runFile(file, all, options)
  }
  stats.end = new Date()
  stats.duration = stats.end.getTime() - (stats.start?.getTime() ?? 0)
  all.emit(EVENT_RUN_END)
  return stats
}

const { EVENT_RUN_BEGIN, EVENT_RUN_END, EVENT_TEST_PASS, EVENT_TEST_FAIL, EVENT_TEST_PENDING, ...others } =
  Mocha.Runner.constants
const eventsOfFiles = [EVENT_TEST_PASS, EVENT_TEST_FAIL, EVENT_TEST_PENDING, ...Object.values(others)]

const zero = (): Mocha.Stats => ({ suites: 0, tests: 0, passes: 0, pending: 0, failures: 0, start: new Date() })

/** The report of one file: nothing, since one of mocha's own would take each failure for a second one of its test. */
class Silent {
  readonly runner: Mocha.Runner
  readonly stats = zero()
  readonly failures: Mocha.Test[] = []
  constructor(runner: Mocha.Runner) {
    this.runner = runner
  }
  epilogue(): void {}
}

function countAll(runner: Mocha.Runner): Mocha.Stats {
  const stats = zero()
  runner.on(EVENT_TEST_PASS, () => stats.passes++)
  runner.on(EVENT_TEST_FAIL, () => stats.failures++)
  runner.on(EVENT_TEST_PENDING, () => stats.pending++)
  return stats
}

async function runFile(file: string, all: Mocha.Runner, { before, begin, grep }: Options): Promise<void> {
  const mocha = new Mocha({
    timeout: testTimeoutMs,
    forbidOnly: true,
    reporter: Silent,
    ...(grep === undefined ? {} : { fgrep: grep }),
  })
  mocha.addFile(file)
  await guarded(async () => {
    await before(file)
    await mocha.loadFilesAsync().catch((error: unknown) => addFailure(mocha, file, error))
  })
  endLeftovers(mocha)
  const ended = await new Promise<Mocha.Runner>((resolve) => {
    const runner = mocha.run(() => resolve(runner))
    begin(runner)
    for (const name of eventsOfFiles) runner.on(name, (...args: unknown[]) => all.emit(name, ...args))
  })
  // Its listeners would end the process at an error that no test of a later file catches.
  ended.dispose()
}

function addFailure(mocha: Mocha, file: string, error: unknown): void {
  const test = new Mocha.Test('can be loaded', () => {
    throw error
  })
  test.file = file
  Mocha.Suite.create(mocha.suite, file).addTest(test)
}

/** While no file runs there is no test to fail: an error that an earlier file left is printed and ends nothing. */
async function guarded<T>(step: () => Promise<T>): Promise<T> {
  const print = (error: unknown): void => console.error(`  between two test files: ${inspect(error)}`)
  process.on('uncaughtException', print)
  process.on('unhandledRejection', print)
  try {
    return await step()
  } finally {
    process.off('uncaughtException', print)
    process.off('unhandledRejection', print)
  }
}
