/** Which lines of a stream were shown already: one that is begun again begins with them. */

interface Reached {
  t: string
  count: number
}

/** The lines of one source come in the order of their times, and several may have the same. */
export class SeenLines {
  readonly #newest = new Map<string, Reached>()
  #shown = new Map<string, Reached>()
  /** Texts of the lines without a time. */
  readonly #texts = new Set<string>()

  /** Called when the connection was lost: lines may come again from here on. */
  reconnect(): void {
    this.#shown = new Map(Array.from(this.#newest, ([source, reached]) => [source, { ...reached }]))
  }

  /** @param t its time, in a form that sorts as text; '' for a source that has each text once */
  isNew(source: string, t: string, text: string): boolean {
    if (t === '') {
      const key = `${source} ${text}`
      return !this.#texts.has(key) && this.#texts.add(key).has(key)
    }
    const shown = this.#shown.get(source)
    if (shown !== undefined && (t < shown.t || (t === shown.t && shown.count-- > 0))) return false
    const newest = this.#newest.get(source)
    if (newest === undefined || t > newest.t) this.#newest.set(source, { t, count: 1 })
    else if (t === newest.t) newest.count += 1
    return true
  }
}
