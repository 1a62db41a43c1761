/** Shares followed pod logs: all listeners of a pod together use one connection to its node. */
import type { ClusterClient } from '../../cluster/client.ts'
import { followPodLogs } from '../../cluster/pod-logs.ts'
import { podFollowsMax } from '../../contract/limits.ts'
import { stampedLine } from '../../kinds/logs/log-line.ts'
import { secondOf } from '../../kinds/logs/log-time.ts'
import type { PodFollow, PodFollows } from '../context/needs.ts'
import { defined } from '../../contract/defined.ts'

export function createPodFollows(client: ClusterClient, most = podFollowsMax): PodFollows {
  const shared = new Map<string, SharedLog>()
  let open = 0
  const source = async function* (wanted: PodFollow, signal: AbortSignal): AsyncGenerator<string> {
    open += 1
    try {
      yield* followPodLogs(client, { ...requestOf(wanted), signal })
    } finally {
      open -= 1
    }
  }
  return {
    follow(wanted) {
      const running = shared.get(wanted.uid)
      if (running?.done === false && running.covers(wanted.last)) return running.listen(wanted.signal)
      if (open >= most) return noLines()
      // The listener needs lines that the shared log has dropped, so it gets a connection of its own.
      if (running?.done === false) return source(wanted, wanted.signal)
      const log = new SharedLog(wanted.last === '' ? '' : secondOf(wanted.last), (signal) => source(wanted, signal))
      shared.set(wanted.uid, log)
      void log.ended.then(() => shared.get(wanted.uid) === log && shared.delete(wanted.uid))
      return log.listen(wanted.signal)
    },
    get open() {
      return open
    },
  }
}

async function* noLines(): AsyncGenerator<never> {}

function requestOf({ namespace, pod, container, last, sinceSeconds }: PodFollow) {
  const since = last !== '' ? { sinceTime: secondOf(last) } : defined({ sinceSeconds })
  return { namespace, pod, container, timestamps: true, ...since }
}

/** How much is held for listeners that come later or read more slowly. */
const kept = { lines: 2000, characters: 256 * 1024 } as const
/** The fastest listener may be so many lines behind before the node's log is read more slowly. */
const paceLines = 1000

interface Listener {
  /** The number of the line that it reads next. */
  next: number
  wake: () => void
}

class SharedLog {
  readonly ended: Promise<void>
  readonly #from: string
  readonly #stop = new AbortController()
  readonly #listeners = new Set<Listener>()
  #held: string[] = []
  #characters = 0
  /** The number of the first line held. */
  #first = 0
  #over = false
  #failure: Error | undefined
  #progress: () => void = () => undefined

  /** @param from the second at which the log begins, '' for where its first listener asked to begin */
  constructor(from: string, open: (signal: AbortSignal) => AsyncIterable<string>) {
    this.#from = from
    this.ended = this.#pump(open(this.#stop.signal))
  }

  /** Whether no more lines follow. */
  get done(): boolean {
    return this.#over
  }

  /** Whether all lines after the last one of a listener are still held. */
  covers(last: string): boolean {
    if (this.#first === 0 && (this.#from === '' || (last !== '' && this.#from <= secondOf(last)))) return true
    const oldest = this.#held[0]
    return last !== '' && oldest !== undefined && isBefore(stampedLine(oldest).t, last)
  }

  async *listen(signal: AbortSignal): AsyncGenerator<string> {
    const listener: Listener = { next: this.#first, wake: () => undefined }
    const wake = (): void => listener.wake()
    this.#listeners.add(listener)
    signal.addEventListener('abort', wake, { once: true })
    try {
      // A line that was dropped before the listener read it ends its stream: the listener has to follow again.
      while (!signal.aborted && listener.next >= this.#first) {
        const line = this.#held[listener.next - this.#first]
        if (line !== undefined) {
          listener.next += 1
          this.#progress()
          yield line
        } else if (this.#over) {
          if (this.#failure !== undefined) throw this.#failure
          return
        } else await new Promise<void>((resolve) => (listener.wake = resolve))
      }
    } finally {
      signal.removeEventListener('abort', wake)
      this.#listeners.delete(listener)
      this.#progress()
      if (this.#listeners.size === 0) this.#end()
    }
  }

  async #pump(lines: AsyncIterable<string>): Promise<void> {
    try {
      for await (const line of lines) {
        this.#hold(line)
        while (this.#everybodyIsBehind()) await new Promise<void>((resolve) => (this.#progress = resolve))
      }
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error))
    }
    this.#end()
  }

  #end(): void {
    this.#over = true
    this.#stop.abort()
    this.#wakeAll()
  }

  #hold(line: string): void {
    this.#held.push(line)
    this.#characters += line.length
    while (this.#held.length > kept.lines || (this.#characters > kept.characters && this.#held.length > 1)) {
      this.#characters -= this.#held.shift()?.length ?? 0
      this.#first += 1
    }
    this.#wakeAll()
  }

  #everybodyIsBehind(): boolean {
    const end = this.#first + this.#held.length
    const most = Math.min(paceLines, Math.floor(this.#held.length / 2))
    return most > 0 && this.#listeners.size > 0 && [...this.#listeners].every(({ next }) => end - next > most)
  }

  #wakeAll(): void {
    for (const listener of this.#listeners) listener.wake()
  }
}

const isBefore = (t: string, last: string): boolean => t !== '' && t < last
