/**
 * The time limits of tests end what hangs, and say nothing else: a test that passes costs no more for a longer one. A
 * machine that other work shares may be several times slower than the one on which a limit was chosen.
 */
import type { Hook, Runner, Test } from 'mocha'

const times = 3

/** The limit of a wait, in milliseconds, from the one that its test names. */
export const scaledLimit = (limitMs: number): number => limitMs * times

/** Gives each hook and test of the run several times the limit of its suite. */
export function extendLimits(runner: Runner): void {
  const extended = new WeakSet<Hook | Test>()
  const extend = (runnable: Hook | Test): void => {
    if (extended.has(runnable)) return // a hook before each test comes again
    extended.add(runnable)
    runnable.timeout(scaledLimit(runnable.timeout()))
  }
  runner.on('hook', extend)
  runner.on('test', extend)
}
