/** Callers that wait until the object with a certain key meets a condition. */

export class Waiters {
  readonly #byKey = new Map<string, Set<() => void>>()
  #ended = false

  /** Checks the conditions for this key, since its object changed. */
  notify(key: string): void {
    for (const look of [...(this.#byKey.get(key) ?? [])]) look()
  }

  /** No change will follow: every condition is checked a last time, and resolves with false unless it holds. */
  end(): void {
    this.#ended = true
    for (const key of [...this.#byKey.keys()]) this.notify(key)
  }

  /**
   * true as soon as `holds` returns true; false when the time is up or the cache stops first; rejects with the signal's
   * reason, or with what `holds` throws.
   */
  wait(
    key: string,
    holds: () => boolean,
    options: { timeoutMs: number; signal?: AbortSignal | undefined },
  ): Promise<boolean> {
    const { timeoutMs, signal } = options
    return new Promise((resolve, reject) => {
      const finish = (answer: () => void) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        this.#drop(key, look)
        answer()
      }
      const onAbort = () => finish(() => reject(signal?.reason))
      const look = () => {
        try {
          if (holds()) finish(() => resolve(true))
          else if (this.#ended) finish(() => resolve(false))
        } catch (error) {
          finish(() => reject(error))
        }
      }
      const timer = setTimeout(() => finish(() => resolve(false)), timeoutMs)
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#byKey.set(key, (this.#byKey.get(key) ?? new Set()).add(look))
      if (signal?.aborted) onAbort()
      else look()
    })
  }

  #drop(key: string, look: () => void): void {
    const looks = this.#byKey.get(key)
    looks?.delete(look)
    if (looks?.size === 0) this.#byKey.delete(key)
  }
}
