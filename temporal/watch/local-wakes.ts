/**
 * Passes of this process that wait for their copies within the workflow task that applied them. Meanwhile the watch
 * gives its wakes to the pass: a signal would only make Temporal repeat the whole task
 * (docs/decisions/0024-a-pass-runs-within-the-workflow-task.md).
 */

/** Most waiting passes: each holds a slot for workflow tasks, and other runs need slots, too. */
const passesMax = 8
/** A look that has not begun this long after its pass will not come: the task is repeated, maybe by another worker. */
const claimMs = 2_000

/** Sends the wake by Temporal. */
type Send = () => void

interface Pass {
  /** Ends the wait; absent until the pass waits. */
  wake?: () => void
  /** A wake that came before the pass waited. */
  kept?: Send
  /** Timer of the wait, or of the time within which the look has to begin. */
  timer?: NodeJS.Timeout
}

export class LocalWakes {
  readonly #passes = new Map<string, Pass>()
  readonly #begun = new Set<string>()

  /** Whether a pass over the service has begun in this process a moment ago, also if it may not wait. */
  hasBegun(name: string): boolean {
    return this.#begun.has(name)
  }

  /**
   * Registers a pass over the service that is going to wait for its copies, unless too many do already. The caller
   * calls `follow` or `release` after the pass, however long that takes.
   */
  expect(name: string): void {
    this.#begun.add(name)
    setTimeout(() => this.#begun.delete(name), claimMs).unref()
    if (this.#passes.has(name) || this.#passes.size >= passesMax) return
    this.#passes.set(name, {})
  }

  /** The pass has ended, and the look that waits comes next. */
  follow(name: string): void {
    const pass = this.#passes.get(name)
    if (pass === undefined || pass.wake !== undefined) return
    clearTimeout(pass.timer)
    pass.timer = setTimeout(() => this.release(name), claimMs)
  }

  /**
   * True if a wake of the service came since `expect`; false after the time without one, or at once if no pass is
   * registered. Later wakes go to the run by Temporal, as always.
   */
  wait(name: string, milliseconds: number): Promise<boolean> {
    const pass = this.#passes.get(name)
    if (pass === undefined || pass.wake !== undefined) return Promise.resolve(false)
    clearTimeout(pass.timer)
    if (pass.kept !== undefined) {
      this.#passes.delete(name)
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const end = (isWoken: boolean): void => {
        clearTimeout(timer)
        this.#passes.delete(name)
        resolve(isWoken)
      }
      const timer = setTimeout(() => end(false), milliseconds)
      this.#passes.set(name, { wake: () => end(true), timer })
    })
  }

  /** The pass does not wait after all: a wake that came meanwhile is sent by Temporal. */
  release(name: string): void {
    const pass = this.#passes.get(name)
    if (pass === undefined || pass.wake !== undefined) return
    clearTimeout(pass.timer)
    this.#passes.delete(name)
    pass.kept?.()
  }

  /**
   * Gives the wake to the pass over the service; false if there is none, and the caller has to send the wake. `isNew`:
   * the record has a new intent, which may be the one that the pass works on before it waits.
   */
  take(name: string, send: Send, { isNew }: { isNew: boolean }): boolean {
    const pass = this.#passes.get(name)
    if (pass === undefined || (isNew && pass.wake === undefined)) return false
    if (pass.wake === undefined) pass.kept = send
    else pass.wake()
    return true
  }
}
