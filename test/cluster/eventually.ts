/** Waits in a test until something holds. */
import { setTimeout as sleep } from 'node:timers/promises'

type Holds = () => boolean | Promise<boolean>

/** Looks every 10 ms; throws with the last error, or with `what`, when the time is up. */
export async function eventually(what: string, holds: Holds, timeoutMs = 5_000, everyMs = 10): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await sleep(everyMs)
  }
}

/** Of a real node: what is awaited takes seconds to minutes, and each look asks the api. */
export const onNodeMs = 180_000
export const eventuallyOnNode = (what: string, holds: Holds, timeoutMs = onNodeMs): Promise<void> =>
  eventually(what, holds, timeoutMs, 500)
