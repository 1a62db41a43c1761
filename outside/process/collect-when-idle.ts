/**
 * Frees the memory that a burst of work left behind. V8 collects garbage when it allocates: an idle process keeps the
 * garbage of the last burst until the next one.
 */
import { threadCpuUsage } from 'node:process'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface IdleTerms {
  /** Between two checks; the process counts as idle when it was idle from one to the next. */
  readonly everyMs: number
  /** The share of that time that an idle process may work: watches and polls continue. */
  readonly busyAtMost: number
  /**
   * How much must have accumulated since the last collection: a collection stops the process for a tenth of a second.
   */
  readonly leastMiB: number
  /** Memory of V8's heap and of buffers outside of it, in MiB. */
  readonly held: () => number
  readonly collect: () => void
}

const miB = 1024 * 1024

/** An idle process of svc works less than 3 % of the time; its caches of 1,000 services take some 20 MiB. */
const standardTerms: IdleTerms = {
  everyMs: 10_000,
  busyAtMost: 0.05,
  leastMiB: 32,
  held() {
    const { total_heap_size: heap, external_memory: beside } = getHeapStatistics()
    return (heap + beside) / miB
  },
  collect: exposedCollection(),
}

/**
 * Collects garbage whenever the process is idle and enough has accumulated; returns a function that ends this. Does not
 * keep the process alive.
 */
export function collectWhenIdle(terms: Partial<IdleTerms> = {}): () => void {
  const { everyMs, busyAtMost, leastMiB, held, collect } = { ...standardTerms, ...terms }
  let keptMiB = 0
  let before = { worked: workedMs(), at: performance.now() }
  const look = (): void => {
    const now = { worked: workedMs(), at: performance.now() }
    const busy = (now.worked - before.worked) / (now.at - before.at)
    before = now
    // The held memory may have decreased without a collection.
    keptMiB = Math.min(keptMiB, held())
    if (busy > busyAtMost || held() - keptMiB < leastMiB) return
    collect()
    keptMiB = held()
  }
  const timer = setInterval(look, everyMs).unref()
  return () => clearInterval(timer)
}

/** Processor time of this thread: elapsed time says little where other processes use the processor. */
function workedMs(): number {
  const { user, system } = threadCpuUsage()
  return (user + system) / 1000
}

/** V8 exposes `gc` only in new contexts once the flag is set, and the process was started without it. */
function exposedCollection(): () => void {
  let gc: (() => void) | undefined
  return () => {
    if (gc === undefined) {
      setFlagsFromString('--expose-gc')
      gc = runInNewContext('gc') as () => void // what the flag names
      setFlagsFromString('--no-expose-gc')
    }
    gc()
  }
}
