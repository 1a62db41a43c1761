/** Waits in a test until something holds. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Looks every 10 ms; throws with the last error, or with `what`, when the time is up. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 5_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await sleep(10)
  }
}
