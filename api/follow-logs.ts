/** Follows the log of a service's pods as one stream: recent lines first, then new ones, across restarts and new pods. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ClusterError } from '../cluster/errors.ts'
import { followPodLogs } from '../cluster/pod-logs.ts'
import { durationSeconds } from '../contract/log-fields.ts'
import { passes } from '../kinds/logs/log-line.ts'
import { containerOf, toLine } from './log-lines.ts'
import type { LogLine, LogQuery } from './log-lines.ts'
import type { Needs } from './needs.ts'
import type { PodSeen } from './trim.ts'

/** Each pod costs a connection; of more pods than this, those that come first are followed. */
const podsMax = 50
/** Lines read ahead of a slow listener; then the pods' streams wait. */
const aheadMax = 1000
/** A container between two runs is asked again after this. */
const againMs = 1000

export interface Followed {
  readonly service: string
  /** The pods of the service right now. */
  readonly pods: () => readonly PodSeen[]
  readonly query: LogQuery
  /** Ends the stream. */
  readonly signal: AbortSignal
}

/** Ends when the signal fires; a pod that goes away ends its part only. */
export async function* followLogs(needs: Needs, followed: Followed): AsyncGenerator<LogLine> {
  const ended = new AbortController()
  const signal = AbortSignal.any([followed.signal, ended.signal])
  const lines = new Channel<LogLine>(signal)
  const following = new Set<string>()
  const start = (): void => {
    for (const pod of followed.pods()) {
      const uid = pod.metadata.uid ?? pod.metadata.name
      if (following.has(uid)) continue
      if (following.size >= podsMax) return
      following.add(uid)
      followPod(needs, { ...followed, signal }, pod, lines)
        .catch((error: unknown) => {
          if (!signal.aborted) needs.log.warn({ pod: pod.metadata.name, error: String(error) }, 'following a pod log ended')
        })
        .finally(() => following.delete(uid)) // one that is there still is followed again with the next change
    }
  }
  const unlisten = needs.caches.pods.onChange(start)
  start()
  try {
    yield* lines.take()
  } finally {
    unlisten()
    ended.abort()
  }
}

/** One pod until it is gone: the stream of each run of its container, without repeating what was told already. */
async function followPod(needs: Needs, { service, pods, query, signal }: Followed, pod: PodSeen, lines: Channel<LogLine>): Promise<void> {
  const { uid } = pod.metadata
  let last = ''
  while (!signal.aborted && pods().some(({ metadata }) => metadata.uid === uid)) {
    // Only a stream that is opened again repeats lines; within one, several may carry the same time.
    const told = last
    try {
      for await (const raw of followPodLogs(needs.client, requestFor(pod, query, last, signal))) {
        const line = toLine(service, pod, raw, false)
        if (line.t !== '' && line.t <= told) continue
        last = line.t
        if (passes(line.line, query)) await lines.put(line)
      }
    } catch (error) {
      // Not started yet, between two runs, or the connection broke: all of it may end, so it is asked again.
      if (!(error instanceof ClusterError)) throw error
    }
    await sleep(againMs, undefined, { signal }).catch(() => undefined)
  }
}

function requestFor(pod: PodSeen, { tail, since = '' }: LogQuery, last: string, signal: AbortSignal) {
  const told = last === '' ? durationSeconds(since) : Math.max(1, Math.ceil((Date.now() - Date.parse(last)) / 1000) + 1)
  return {
    namespace: pod.metadata.namespace ?? '',
    pod: pod.metadata.name,
    container: containerOf(pod),
    timestamps: true,
    signal,
    ...(last === '' ? { tailLines: tail } : {}),
    ...(told === undefined ? {} : { sinceSeconds: told }),
  }
}

/** A bounded queue between the pods' streams and one listener. */
class Channel<T> {
  readonly #signal: AbortSignal
  readonly #held: T[] = []
  #wake: () => void = () => undefined
  #room: (() => void)[] = []

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener(
      'abort',
      () => {
        this.#wake()
        this.#free()
      },
      { once: true },
    )
  }

  async put(item: T): Promise<void> {
    this.#held.push(item)
    this.#wake()
    if (this.#held.length < aheadMax || this.#signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#room.push(resolve)
    })
  }

  async *take(): AsyncGenerator<T> {
    while (!this.#signal.aborted) {
      const items = this.#held.splice(0)
      this.#free()
      if (items.length > 0) yield* items
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }

  #free(): void {
    for (const resolve of this.#room.splice(0)) resolve()
  }
}
