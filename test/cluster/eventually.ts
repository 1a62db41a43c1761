/** Waits in a test until something holds. */
import { setTimeout as sleep } from 'node:timers/promises'
import { scaledLimit } from '../harness/time-limits.ts'

type Holds = () => boolean | Promise<boolean>

/** What takes seconds is looked at less often: a look may ask three servers, which the tests of other lanes need. */
const shareOfWait = 0.1
const pauseMostMs = 100

/**
 * Looks every 10 ms, and every 100 ms once it has waited for a second; throws what a look throws, or `what` when the
 * time is up, which is several times `timeoutMs`.
 */
export async function eventually(what: string, holds: Holds, timeoutMs = 5_000, everyMs = 10): Promise<void> {
  const begun = performance.now()
  const limitMs = scaledLimit(timeoutMs)
  while (!(await holds())) {
    const waitedMs = performance.now() - begun
    if (waitedMs > limitMs) throw new Error(`not within ${limitMs} ms: ${what}`)
    await sleep(Math.max(everyMs, Math.min(waitedMs * shareOfWait, pauseMostMs)))
  }
}

/** Of a real node: what is awaited takes seconds to minutes, and each look asks the api. */
export const onNodeMs = 180_000
export const eventuallyOnNode = (what: string, holds: Holds, timeoutMs = onNodeMs): Promise<void> =>
  eventually(what, holds, timeoutMs, 500)
