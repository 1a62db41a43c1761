/** Calls the listeners of a cache with its changes: one event after the other, in order, even if a listener throws. */
import type { Logger } from '../objects/log.ts'

export interface CacheEvent<T> {
  type: 'add' | 'update' | 'delete'
  /** For a delete the last known state. */
  object: T
  previous?: T
  /** Whether the event comes from the first list: the object existed before the cache started. */
  initial: boolean
}

type Listener<T> = (event: CacheEvent<T>) => void

export class CacheEvents<T> {
  readonly #log: Logger
  readonly #resource: string
  readonly #listeners = new Set<Listener<T>>()
  readonly #queue: CacheEvent<T>[] = []
  /** Above 0, events are queued: an event is being sent to listeners, or a list is being stored. */
  #held = 0

  constructor(log: Logger, resource: string) {
    this.#log = log
    this.#resource = resource
  }

  listen(listener: Listener<T>): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** An event that a listener causes is sent after the current one. */
  emit(event: CacheEvent<T>): void {
    this.#queue.push(event)
    if (this.#held === 0) this.#notify()
  }

  /** Runs `work` and sends its events afterwards, so that listeners see the whole list and not half of it. */
  hold(work: () => void): void {
    this.#held += 1
    try {
      work()
    } finally {
      this.#held -= 1
    }
    if (this.#held === 0) this.#notify()
  }

  #notify(): void {
    this.#held += 1
    // Indexed, since shift() on the thousands of events of a first list would copy them each time.
    for (let next = 0; next < this.#queue.length; next += 1) {
      const event = this.#queue[next]
      if (event !== undefined) for (const listener of this.#listeners) this.#call(listener, event)
    }
    this.#queue.length = 0
    this.#held -= 1
  }

  #call(listener: Listener<T>, event: CacheEvent<T>): void {
    try {
      listener(event)
    } catch (error) {
      this.#log.error({ resource: this.#resource, err: error }, 'a cache listener failed')
    }
  }
}
