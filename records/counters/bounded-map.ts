/** A map that drops its oldest entries: for cached values under keys that callers choose. */

export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>()
  readonly #most: number

  /** @param most entries that are kept */
  constructor(most: number) {
    this.#most = most
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  /** The entry is the newest from now on. */
  set(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#most) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }

  get size(): number {
    return this.#entries.size
  }
}
