/** The parts that a start has brought up so far; stops them at any time, in reverse order, within ten seconds. */
import { scaledLimit } from './time-limits.ts'

/** The rest of the ten seconds is for killing the processes that did not stop in time. */
const stopWithinMs = 9_000

/** Calls `stop` once, at the first signal: a Ctrl-C may arrive twice, from the terminal and from the parent process. */
export function whenAsked(stop: (signal: NodeJS.Signals) => void): void {
  let asked = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!asked) stop(signal)
      asked = true
    })
  }
}

export interface Stops {
  add(stop: () => Promise<void>): void
  stopAll(): Promise<void>
  isStopping(): boolean
  /** Stops everything and exits on Ctrl-C and similar signals, even in the middle of a start. */
  onSignals(before: () => void): void
}

export function createStops(say: (line: string) => void): Stops {
  const running: (() => Promise<void>)[] = []
  let stopping: Promise<void> | undefined

  const stopEach = async (): Promise<void> => {
    for (let stop = running.pop(); stop !== undefined; stop = running.pop()) {
      try {
        await stop()
      } catch (error) {
        say(`svc: ${error instanceof Error ? error.message : String(error)}`) // the others must stop nevertheless
      }
    }
  }
  // Children that still run when this process exits are killed by their supervisors.
  const exitLate = (): void => {
    say('svc: not everything stopped in time; the rest was killed')
    process.exit(1)
  }
  const stopAll = (): Promise<void> => (stopping ??= stopEach())

  return {
    add: (stop) => void running.push(stop),
    stopAll,
    isStopping: () => stopping !== undefined,
    onSignals(before) {
      whenAsked(() => {
        if (stopping !== undefined) return
        before()
        say('svc: stopping')
        setTimeout(exitLate, scaledLimit(stopWithinMs)).unref()
        void stopAll().then(() => process.exit(0))
      })
    },
  }
}
