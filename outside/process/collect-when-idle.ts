/**
 * Gives back the memory that a burst of work left behind. V8 collects when it allocates: a process that falls idle
 * after a burst keeps the garbage, and the room that the burst needed, until the next one.
 */
import { threadCpuUsage } from 'node:process'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface IdleTerms {
  /** Between two looks; the process counts as idle when it was so from one to the next. */
  readonly everyMs: number
  /** The part of that time that an idle process may have worked: watches and polls go on. */
  readonly busyAtMost: number
  /** What has to have come together since the last collection: each stops the process for a tenth of a second. */
  readonly leastMiB: number
  /** Of V8's own heap and of buffers beside it, in MiB. */
  readonly held: () => number
  readonly collect: () => void
}

const miB = 1024 * 1024

/** A process of svc at rest works less than 3 % of the time; its caches of 1,000 services hold some 20 MiB. */
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

/** Collects whenever the process is idle and it is worth it; returns how to stop. Does not keep the process alive. */
export function collectWhenIdle(terms: Partial<IdleTerms> = {}): () => void {
  const { everyMs, busyAtMost, leastMiB, held, collect } = { ...standardTerms, ...terms }
  let keptMiB = 0
  let before = { worked: workedMs(), at: performance.now() }
  const look = (): void => {
    const now = { worked: workedMs(), at: performance.now() }
    const busy = (now.worked - before.worked) / (now.at - before.at)
    before = now
    // It may have shrunk by itself.
    keptMiB = Math.min(keptMiB, held())
    if (busy > busyAtMost || held() - keptMiB < leastMiB) return
    collect()
    keptMiB = held()
  }
  const timer = setInterval(look, everyMs).unref()
  return () => clearInterval(timer)
}

/** Of this thread alone; how long its work took says little where others have the processor. */
function workedMs(): number {
  const { user, system } = threadCpuUsage()
  return (user + system) / 1000
}

/** V8 shows it to new contexts only once the flag is set; the process was not started with it. */
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
