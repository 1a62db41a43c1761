/** A bounded queue between many writers and one slow reader. */
import type { ServerEvent } from '../../contract/operation.ts'

/** How many items are held for the reader before writers wait. */
const heldMax = 100

export class LineQueue<T> {
  readonly #signal: AbortSignal
  #held: T[] = []
  #wake: () => void = () => undefined
  #writers: (() => void)[] = []

  /** The queue ends with the signal: writers no longer wait, and the reader's iteration ends. */
  constructor(signal: AbortSignal) {
    this.#signal = signal
    const end = (): void => {
      this.#wake()
      this.#free()
    }
    signal.addEventListener('abort', end, { once: true })
  }

  /** Adds an item; resolves when the queue may take another. */
  async put(item: T): Promise<void> {
    this.#held.push(item)
    this.#wake()
    if (this.#held.length < heldMax || this.#signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#writers.push(resolve)
    })
  }

  async *take(): AsyncGenerator<T> {
    while (!this.#signal.aborted) {
      const items = this.#held
      this.#held = []
      this.#free()
      if (items.length > 0) yield* items
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }

  #free(): void {
    for (const resolve of this.#writers.splice(0)) resolve()
  }
}

/** The lines as the events of a stream; `end` is the last one. */
export async function* eventsOf<T extends object>(lines: LineQueue<T | 'end'>): AsyncGenerator<ServerEvent> {
  for await (const line of lines.take()) {
    yield line === 'end' ? { event: 'end', data: {} } : { data: line }
    if (line === 'end') return
  }
}
