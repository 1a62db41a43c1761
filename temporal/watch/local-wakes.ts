/**
 * Passes of this process that look at their copies within the workflow task that made them. What the watch would wake
 * their runs for meanwhile goes to the pass: a signal would only have the server do the whole task again
 * (docs/decisions/0024-a-pass-runs-within-the-workflow-task.md).
 */

/** Each holds a slot for workflow tasks, of which the others have to leave enough. */
const passesMax = 8
/** After its pass, a look that has not begun by then will not come: the task is done again, maybe elsewhere. */
const claimMs = 2_000

/** Sends the wake by Temporal. */
type Send = () => void

interface Pass {
  /** Ends its wait; absent until it waits. */
  wake?: () => void
  /** A wake that came before it waited. */
  kept?: Send
  /** Of its wait, or of the time in which the look has to come. */
  timer?: NodeJS.Timeout
}

export class LocalWakes {
  readonly #passes = new Map<string, Pass>()
  readonly #begun = new Set<string>()

  /** Whether a pass over the service has begun here a moment ago, whether it may wait or not. */
  hasBegun(name: string): boolean {
    return this.#begun.has(name)
  }

  /**
   * A pass over the service has begun, and is going to wait for its copies: it does so unless many do already. `follow`
   * or `release` comes after it, however long it takes.
   */
  expect(name: string): void {
    this.#begun.add(name)
    setTimeout(() => this.#begun.delete(name), claimMs).unref()
    if (this.#passes.has(name) || this.#passes.size >= passesMax) return
    this.#passes.set(name, {})
  }

  /** The pass is over, and the look that waits comes next. */
  follow(name: string): void {
    const pass = this.#passes.get(name)
    if (pass === undefined || pass.wake !== undefined) return
    clearTimeout(pass.timer)
    pass.timer = setTimeout(() => this.release(name), claimMs)
  }

  /**
   * True when something woke the service since `expect`, false when nothing did within the time; at once where none was
   * expected. What comes after the answer wakes the run by Temporal, as always.
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

  /** The pass does not wait after all: a wake that it has not seen is sent. */
  release(name: string): void {
    const pass = this.#passes.get(name)
    if (pass === undefined || pass.wake !== undefined) return
    clearTimeout(pass.timer)
    this.#passes.delete(name)
    pass.kept?.()
  }

  /**
   * Gives the wake to the pass over the service; false when there is none, and the wake has to be sent. `isNew`: that
   * the record asks for something, which may be the very thing that a pass is on before it waits.
   */
  take(name: string, send: Send, { isNew }: { isNew: boolean }): boolean {
    const pass = this.#passes.get(name)
    if (pass === undefined || (isNew && pass.wake === undefined)) return false
    if (pass.wake === undefined) pass.kept = send
    else pass.wake()
    return true
  }
}
