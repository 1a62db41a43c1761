/**
 * Runs a check per key at once, then at most once per window while events keep coming
 * (docs/reference/deployments.md#events-and-intents).
 */
import { watchCoalesceMs } from '../../contract/process-limits.ts'

export class Debounce {
  readonly #windowMs: number
  readonly #check: (key: string, trailing: boolean) => void
  readonly #open = new Map<string, { again: boolean; timer: NodeJS.Timeout }>()

  constructor(check: (key: string, trailing: boolean) => void, windowMs = watchCoalesceMs) {
    this.#windowMs = windowMs
    this.#check = check
  }

  touch(key: string): void {
    const open = this.#open.get(key)
    if (open !== undefined) {
      open.again = true
      return
    }
    this.#wait(key, false)
    this.#check(key, false)
  }

  /** Runs the check when the window ends, even without another event. */
  later(key: string): void {
    const open = this.#open.get(key)
    if (open === undefined) this.#wait(key, true)
    else open.again = true
  }

  stop(): void {
    for (const { timer } of this.#open.values()) clearTimeout(timer)
    this.#open.clear()
  }

  #wait(key: string, again: boolean): void {
    const entry = {
      again,
      timer: setTimeout(() => {
        this.#open.delete(key)
        if (!entry.again) return
        this.#wait(key, false)
        this.#check(key, true)
      }, this.#windowMs),
    }
    this.#open.set(key, entry)
  }
}
