/** Callers that wait until an object of a certain key is as they want it. */

export class Waiters {
  readonly #byKey = new Map<string, Set<() => void>>()
  #ended = false

  /** Something about this key changed. */
  notify(key: string): void {
    for (const look of [...(this.#byKey.get(key) ?? [])]) look()
  }

  /** Nothing will change any more: everyone looks a last time and gets false. */
  end(): void {
    this.#ended = true
    for (const key of [...this.#byKey.keys()]) this.notify(key)
  }

  /**
   * true as soon as `holds` does, false when the time is up first or the cache stops; rejects with the signal's reason,
   * or what `holds` throws.
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
