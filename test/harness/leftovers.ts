/** Processes of svc that tests start: one that outlives its suite would process the records of later tests. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type Mocha from 'mocha'
import { atEnd } from './stack.ts'

const running = new Map<ChildProcess, string>()

/** Registers a process that ends with the suite that started it. */
export function endWithSuite(child: ChildProcess, name: string): void {
  running.set(child, name)
  child.once('exit', () => running.delete(child))
}

/** Registers a process that ends with the whole run instead, since many suites share it. */
export function endWithRun(child: ChildProcess): void {
  running.delete(child)
}

async function endAll(suite: string): Promise<void> {
  for (const [child, name] of running) {
    console.error(`  ${suite} left ${name} running (process ${child.pid}); it is ended`)
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
}

/** Runs after the hooks of each suite, so that a suite whose hooks failed leaves no process either. */
export function endLeftovers({ suite: { suites } }: Mocha): void {
  for (const suite of suites) suite.afterAll('leaves no process', () => endAll(suite.title))
}

/** Ends what the whole run may have left; call it once, before the servers are used. */
export function endLeftoversAtEnd(): void {
  atEnd(() => endAll('the run'))
}
