/** Changes of all caches as one feed: bursts are one message per record, and a slow listener never piles up. */
import { eventCoalesceMs } from '../../contract/limits.ts'
import type { CacheEvent } from '../../cluster/cache.ts'
import type { KubeObject } from '../../cluster/object.ts'
import type { Caches } from '../caches.ts'
import { everything, merge, opOf, streamedResources } from './change.ts'
import type { Change } from './change.ts'

/** More records than this in one listener's hands are told as one `resources` message. */
const heldMax = 1000

export interface ChangeFeed {
  /** Changes from now on; ends when the signal fires. */
  subscribe(signal: AbortSignal): AsyncGenerator<Change>
  stop(): void
}

/** Sends the first change at once and what follows within 250 ms together, so that a single change is not held back. */
export function createChangeFeed(caches: Caches): ChangeFeed {
  const listeners = new Set<Mailbox>()
  let burst = new Map<string, Change>()
  let timer: NodeJS.Timeout | undefined

  const flush = (): void => {
    timer = undefined
    if (burst.size === 0) return
    const changes = burst
    burst = new Map()
    for (const listener of listeners) listener.put(changes)
    timer = setTimeout(flush, eventCoalesceMs)
  }
  const note = (resource: string, event: CacheEvent<KubeObject>): void => {
    if (event.initial || listeners.size === 0) return
    add(burst, { type: 'change', resource, name: event.object.metadata.name, op: opOf(event) })
    // A resync of thousands arrives in one turn: let it become one burst.
    timer ??= setTimeout(flush, 0)
  }
  const unlisten = Object.entries(streamedResources).map(
    ([cache, resource]) => listenTo(caches[cache as keyof typeof streamedResources], (event) => note(resource, event)), // keys of a constant object
  )

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
    stop() {
      clearTimeout(timer)
      for (const stop of unlisten) stop()
    },
  }
}

function listenTo(cache: { onChange(listener: (event: CacheEvent<KubeObject>) => void): () => void }, listener: (event: CacheEvent<KubeObject>) => void) {
  return cache.onChange(listener)
}

function add(changes: Map<string, Change>, change: Change): void {
  const key = `${change.resource}/${change.name}`
  const earlier = changes.get(key)
  changes.set(key, earlier === undefined ? change : merge(earlier, change))
}

/** What one listener has not taken yet. */
class Mailbox {
  readonly #signal: AbortSignal
  #held = new Map<string, Change>()
  #wake: () => void = () => undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', () => this.#wake(), { once: true })
  }

  put(changes: ReadonlyMap<string, Change>): void {
    for (const change of changes.values()) add(this.#held, change)
    if (this.#held.size > heldMax) this.#held = new Map([['', everything]])
    this.#wake()
  }

  async *take(): AsyncGenerator<Change> {
    while (!this.#signal.aborted) {
      if (this.#held.size === 0) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        continue
      }
      const held = this.#held
      this.#held = new Map()
      yield* held.values()
    }
  }
}
