/** Waits in a test until something holds. */
import { setTimeout as sleep } from 'node:timers/promises'

type Holds = () => boolean | Promise<boolean>

/** What takes seconds is looked at less often: a look may ask three servers, which the tests of other lanes need. */
const shareOfWait = 0.1
const pauseMostMs = 100

/**
 * Looks every 10 ms, and every 100 ms once it has waited for a second; throws what a look throws, or `what` when the
 * time is up.
 */
export async function eventually(what: string, holds: Holds, timeoutMs = 5_000, everyMs = 10): Promise<void> {
  const begun = performance.now()
  while (!(await holds())) {
    const waitedMs = performance.now() - begun
    if (waitedMs > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await sleep(Math.max(everyMs, Math.min(waitedMs * shareOfWait, pauseMostMs)))
  }
}

/** Of a real node: what is awaited takes seconds to minutes, and each look asks the api. */
export const onNodeMs = 180_000
export const eventuallyOnNode = (what: string, holds: Holds, timeoutMs = onNodeMs): Promise<void> =>
  eventually(what, holds, timeoutMs, 500)
