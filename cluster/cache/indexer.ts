/** Objects of one type in memory: by key, sorted, and by any number of indexes. */
import { keyOfObject, type KubeObject } from '../objects/object.ts'
import { SortedView } from './sorted-view.ts'

export type IndexFunction<T> = (object: T) => string[]

const nothing: readonly never[] = Object.freeze([])

export class Indexer<T extends KubeObject> {
  readonly #objects = new Map<string, T>()
  readonly #sorted = new SortedView<T>()
  readonly #indexes: Map<string, { keysOf: IndexFunction<T>; views: Map<string, SortedView<T>> }>
  #version = 0

  constructor(indexes: Record<string, IndexFunction<T>> = {}) {
    this.#indexes = new Map(Object.entries(indexes).map(([name, keysOf]) => [name, { keysOf, views: new Map() }]))
  }

  get version(): number {
    return this.#version
  }

  get(key: string): T | undefined {
    return this.#objects.get(key)
  }

  objects(): readonly T[] {
    return this.#sorted.read()
  }

  /** Throws when there is no such index: a misspelt name would look like an empty answer. */
  by(index: string, key: string): readonly T[] {
    const found = this.#indexes.get(index)
    if (found === undefined) throw new TypeError(`no index "${index}"`)
    return found.views.get(key)?.read() ?? nothing
  }

  set(object: T): void {
    const key = keyOfObject(object)
    const previous = this.#objects.get(key)
    this.#objects.set(key, object)
    this.#sorted.set(object)
    for (const { keysOf, views } of this.#indexes.values()) {
      const now = new Set(keysOf(object))
      if (previous !== undefined)
        dropFrom(
          views,
          previous,
          keysOf(previous).filter((indexKey) => !now.has(indexKey)),
        )
      for (const indexKey of now) {
        const view = views.get(indexKey) ?? new SortedView<T>()
        views.set(indexKey, view)
        view.set(object)
      }
    }
    this.#version += 1
  }

  remove(key: string): void {
    const held = this.#objects.get(key)
    if (held === undefined) return
    this.#objects.delete(key)
    this.#sorted.remove(held)
    for (const { keysOf, views } of this.#indexes.values()) dropFrom(views, held, keysOf(held))
    this.#version += 1
  }
}

function dropFrom<T extends KubeObject>(views: Map<string, SortedView<T>>, object: T, keys: string[]): void {
  for (const key of keys) {
    const view = views.get(key)
    view?.remove(object)
    if (view?.size === 0) views.delete(key)
  }
}
