/** Limits how much work runs at once and how much may wait; the rest is refused before it costs anything. */
import { Problem, refusals } from '../../contract/problem.ts'

export interface AtMost {
  /** Whether the next call would be refused. */
  readonly full: boolean
  /**
   * Throws Problem rate_limited, without starting the work, when too much waits already.
   * @param ahead puts the work at the front of the line, which has additional places for it
   */
  run<R>(work: () => Promise<R>, ahead?: boolean): Promise<R>
}

export function createAtMost({
  atOnce,
  waiting,
  ahead: places = 0,
}: {
  readonly atOnce: number
  readonly waiting: number
  readonly ahead?: number
}): AtMost {
  const line: (() => void)[] = []
  let running = 0
  const isFull = (ahead: boolean): boolean => running >= atOnce && line.length >= waiting + (ahead ? places : 0)
  return {
    get full() {
      return isFull(false)
    },
    async run(work, ahead = false) {
      if (isFull(ahead)) throw new Problem('rate_limited', refusals.tooManySignIns)
      // A freed place goes to the first in line; `running` does not change in between.
      if (running >= atOnce) await new Promise<void>((resolve) => (ahead ? line.unshift(resolve) : line.push(resolve)))
      else running += 1
      try {
        return await work()
      } finally {
        const next = line.shift()
        if (next === undefined) running -= 1
        else next()
      }
    },
  }
}
