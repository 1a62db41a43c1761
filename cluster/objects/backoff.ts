/** The wait before the next try: doubling, with jitter. */
import { setTimeout as sleep } from 'node:timers/promises'
import { defined } from '../../contract/defined.ts'

export interface Backoff {
  /** Milliseconds until the next try; each call doubles the base. */
  next(): number
  reset(): void
}

/** Waits between half and all of the doubled base, so that many clients do not retry at the same moment. */
export function createBackoff(firstMs: number, mostMs: number): Backoff {
  let base = firstMs
  return {
    next() {
      const wait = base / 2 + Math.random() * (base / 2)
      base = Math.min(base * 2, mostMs)
      return wait
    },
    reset() {
      base = firstMs
    },
  }
}

/** Sleeps, or returns at once when the signal fires; never rejects, so callers check `signal.aborted`. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, defined({ signal })).catch(() => undefined)
}
