/** Limits long calls of this process, per caller and in total, so that they cannot use up its capacity. */
import { actorOf, type Caller } from '../../contract/caller.ts'
import { Problem } from '../../contract/problem.ts'

export interface OpenCalls {
  /** Counts a call until the returned function is called. Throws Problem rate_limited when there are too many. */
  enter(caller: Caller): () => void
}

/** @param what the calls in the plural, for refusals: `queries` */
export function createOpenCalls(most: { perCaller: number; total: number }, what: string): OpenCalls {
  const open: string[] = []
  return {
    enter(caller) {
      const who = actorOf(caller)
      if (open.filter((each) => each === who).length >= most.perCaller)
        throw new Problem('rate_limited', `a caller may run ${most.perCaller} ${what} at once`)
      if (open.length >= most.total) throw new Problem('rate_limited', `too many ${what} run now, try again later`)
      open.push(who)
      return () => void open.splice(open.indexOf(who), 1)
    },
  }
}
