/** Retries of the callers of a kill run: a process that is down comes back. */
import { setTimeout as sleep } from 'node:timers/promises'

/** The time limit for an accepted operation to end; a machine with other work needs more. */
export const endsWithinMs = (): number => Number(process.env['SVC_TEST_PATIENCE_MS'] ?? 240_000)
export const askAgainMs = 300

/** Retries until it succeeds; throws the last error when that takes too long. */
export async function insist<R>(work: () => Promise<R>): Promise<R> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (tries * askAgainMs > endsWithinMs()) throw error
      await sleep(askAgainMs)
    }
  }
}

/** False when it does not hold in time. While the cluster is down, nothing holds. */
export async function holdsInTime(holds: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + endsWithinMs(); Date.now() < deadline; await sleep(askAgainMs)) {
    if (await holds().catch(() => false)) return true
  }
  return false
}
