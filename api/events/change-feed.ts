/**
 * The changes of all caches as one feed: a burst of changes is one message per record, and the queue of a slow listener
 * is bounded.
 */
import { eventCoalesceMs } from '../../contract/limits.ts'
import type { CacheEvent } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { Caches } from '../context/caches.ts'
import { changeOf, overflow, merge, streamedResources, type Change, type StreamedCache } from './change.ts'

/** So many changed records waiting for one listener are replaced by one `resources` message. */
const heldMax = 250

/** The change of each record, in the order of the first changes. */
type Burst = ReadonlyMap<string, Change>

export interface ChangeFeed {
  /** The changes from now on; ends when the signal fires. */
  subscribe(signal: AbortSignal): AsyncGenerator<Change>
  /** How many listeners are subscribed. */
  readonly listeners: number
  stop(): void
}

/** Sends the first change at once, and those of the following 250 ms together: a single change is not delayed. */
export function createChangeFeed(caches: Caches): ChangeFeed {
  const listeners = new Set<Mailbox>()
  let burst = new Map<string, Change>()
  let timer: NodeJS.Timeout | undefined

  const flush = (): void => {
    timer = undefined
    if (burst.size === 0) return
    const changes = bounded(burst)
    burst = new Map()
    for (const listener of listeners) listener.put(changes)
    timer = setTimeout(flush, eventCoalesceMs)
  }
  const note = (cache: StreamedCache, event: CacheEvent<KubeObject>): void => {
    if (event.initial || listeners.size === 0) return
    const change = changeOf(cache, event)
    if (change === undefined) return
    add(burst, change)
    // The thousands of events of a new list arrive in one turn of the event loop, and become one burst.
    timer ??= setTimeout(flush, 0)
  }
  const unlisten = Object.keys(streamedResources).map((name) => {
    const cache = name as StreamedCache // a key of the constant object
    return listenTo(caches[cache], (event) => note(cache, event))
  })

  return {
    async *subscribe(signal) {
      const mailbox = new Mailbox(signal)
      listeners.add(mailbox)
      try {
        yield* mailbox.take()
      } finally {
        listeners.delete(mailbox)
      }
    },
    get listeners() {
      return listeners.size
    },
    stop() {
      clearTimeout(timer)
      for (const stop of unlisten) stop()
    },
  }
}

function listenTo(
  cache: { onChange(listener: (event: CacheEvent<KubeObject>) => void): () => void },
  listener: (event: CacheEvent<KubeObject>) => void,
) {
  return cache.onChange(listener)
}

function add(changes: Map<string, Change>, change: Change): void {
  const key = `${change.resource}/${change.name}`
  const earlier = changes.get(key)
  changes.set(key, earlier === undefined ? change : merge(earlier, change))
}

const bounded = (changes: Burst): Burst => (changes.size > heldMax ? new Map([['', overflow]]) : changes)

/**
 * The changes that one listener has not read: usually a burst that all listeners share, so that a thousand waiting ones
 * need no more memory than one.
 */
class Mailbox {
  readonly #signal: AbortSignal
  #held: Burst | undefined
  #wake: () => void = () => undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', () => this.#wake(), { once: true })
  }

  put(changes: Burst): void {
    this.#held = this.#held === undefined ? changes : together(this.#held, changes)
    this.#wake()
  }

  async *take(): AsyncGenerator<Change> {
    while (!this.#signal.aborted) {
      const held = this.#held
      this.#held = undefined
      if (held !== undefined) yield* held.values()
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}

/** A burst that was replaced by the `resources` message stays so. */
function together(held: Burst, changes: Burst): Burst {
  if (held.has('')) return held
  const both = new Map(held)
  for (const change of changes.values()) add(both, change)
  return bounded(both)
}
