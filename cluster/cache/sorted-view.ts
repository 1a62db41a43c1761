/** A sorted array that stays the same array object until something in it changes. */
import type { KubeObject } from '../objects/object.ts'

/** Sorted by name, then namespace, in code unit order. */
export class SortedView<T extends KubeObject> {
  #items: T[] = []
  /** Whether a caller holds #items: it must then be copied before it changes. */
  #lent = false

  get size(): number {
    return this.#items.length
  }

  read(): readonly T[] {
    this.#lent = true
    return this.#items
  }

  /** Adds the object, or puts it in place of the one of the same name and namespace. */
  set(object: T): void {
    const at = this.#find(object)
    const held = this.#items[at]
    this.#own().splice(at, held !== undefined && order(held, object) === 0 ? 1 : 0, object)
  }

  remove(object: T): void {
    const at = this.#find(object)
    const held = this.#items[at]
    if (held !== undefined && order(held, object) === 0) this.#own().splice(at, 1)
  }

  #own(): T[] {
    if (this.#lent) this.#items = this.#items.slice()
    this.#lent = false
    return this.#items
  }

  /** The first position that does not sort before the object. */
  #find(object: T): number {
    let low = 0
    let high = this.#items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const held = this.#items[middle]
      if (held !== undefined && order(held, object) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

function order(a: KubeObject, b: KubeObject): number {
  return (
    compareText(a.metadata.name, b.metadata.name) || compareText(a.metadata.namespace ?? '', b.metadata.namespace ?? '')
  )
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
