/** Follows the logs of pods as one stream: recent lines first, then new ones, across restarts and new pods. */
import { logPodsMax } from '../../contract/limits.ts'
import { ClusterError } from '../../cluster/objects/errors.ts'
import { durationSeconds } from '../../contract/fields/logs.ts'
import type { ServerEvent } from '../../contract/operation.ts'
import { passes, shownLine } from '../../kinds/logs/log-line.ts'
import type { Needs } from '../context/needs.ts'
import type { PodSeen } from '../context/trim.ts'
import { eventsOf, LineQueue } from './line-queue.ts'
import {
  containerOf,
  readRecent,
  toLine,
  uidOf,
  type LogCursor,
  type LogLine,
  type LogQuery,
  type LogSource,
} from './log-lines.ts'

/**
 * A container between two runs is read again after `first`, then ever more rarely, and `soon` after its pod changed.
 */
const againMs = { first: 1000, most: 15_000, soon: 200 } as const
/** The time limit for the remaining lines of what was deleted: the log of a pod on a lost node would never end. */
const drainMs = 10_000

export interface Followed {
  /** The pods at the moment. */
  readonly sources: () => readonly LogSource[]
  /** Whether a changed pod may be one of them; most changes on a cluster are not. */
  readonly concerns: (pod: PodSeen) => boolean
  /** Whether more lines may come: what is followed may be deleted, or the caller may no longer see it. */
  readonly mayGoOn: () => boolean
  /** Reports changes after which `mayGoOn` may answer otherwise, until the returned function is called. */
  readonly onRecordChange: (listener: () => void) => () => void
  readonly query: LogQuery
  /** Ends the stream. */
  readonly signal: AbortSignal
}

/**
 * Reads the existing lines, then returns the stream, one event per line; with `previous`, the lines of earlier runs
 * come first. The end of a pod ends only its part; once `mayGoOn` says no, the stream ends with the event `end`. Throws
 * ClusterError when the API server does not answer.
 */
export async function followLogs(needs: Needs, followed: Followed): Promise<AsyncIterable<ServerEvent>> {
  const { sources, query, signal } = followed
  const earlier = query.previous === true ? (await readRecent(needs, sources(), query, signal)).lines : []
  const recent = await readRecent(needs, sources(), { ...query, previous: false }, signal)
  return stream([...earlier, ...recent.lines], needs, followed, new Map(recent.cursors))
}

async function* stream(
  recent: readonly LogLine[],
  needs: Needs,
  followed: Followed,
  cursors: Map<string, LogCursor>,
): AsyncGenerator<ServerEvent> {
  const ended = new AbortController()
  const signal = AbortSignal.any([followed.signal, ended.signal])
  const lines = new LineQueue<LogLine | 'end'>(signal)
  const follower = new Follower(needs, { ...followed, signal }, cursors, lines)
  const unlisten = needs.caches.pods.onChange(({ type, object }) => {
    if (!followed.concerns(object)) return
    if (type === 'delete') follower.gone(object)
    else follower.look(object)
  })
  const endIfOver = (): void => {
    if (!followed.mayGoOn()) follower.end()
  }
  const unlistenRecord = followed.onRecordChange(endIfOver)
  try {
    for (const line of recent) yield { data: line }
    follower.look()
    endIfOver() // what is followed may have gone before it was listened to
    yield* eventsOf(lines)
  } finally {
    unlisten()
    unlistenRecord()
    ended.abort()
  }
}

/** The streams of all pods of one listener. */
class Follower {
  readonly #needs: Needs
  readonly #followed: Followed
  readonly #cursors: Map<string, LogCursor>
  readonly #lines: LineQueue<LogLine | 'end'>
  /** What stops following a pod, by its uid. */
  readonly #following = new Map<string, AbortController>()
  /** Pods between two runs, with the function that ends their wait. */
  readonly #waiting = new Map<string, () => void>()
  /** Pods that changed while their log was being read. */
  readonly #changed = new Set<string>()
  /** Whether no other pods are followed, since what they belong to is gone. */
  #ends = false

  constructor(needs: Needs, followed: Followed, cursors: Map<string, LogCursor>, lines: LineQueue<LogLine | 'end'>) {
    this.#needs = needs
    this.#followed = followed
    this.#cursors = cursors
    this.#lines = lines
  }

  /** Follows new pods, and reads the changed one again. */
  look(changed?: PodSeen): void {
    if (this.#followed.signal.aborted || this.#ends) return
    if (changed !== undefined && this.#following.has(uidOf(changed))) return this.#retrySoon(uidOf(changed))
    for (const source of this.#followed.sources()) {
      const uid = uidOf(source.pod)
      if (this.#following.has(uid)) continue
      if (this.#following.size >= logPodsMax) return
      const ended = new AbortController()
      this.#following.set(uid, ended)
      this.#follow(source, uid, AbortSignal.any([this.#followed.signal, ended.signal]))
        .catch((error: unknown) => {
          this.#needs.log.warn({ pod: source.pod.metadata.name, error: String(error) }, 'following a pod log ended')
        })
        .finally(() => {
          this.#following.delete(uid) // one that is there still is followed again with the next change
          this.#putEnd()
        })
    }
  }

  /** Sends the remaining lines of the pods that are followed, and `end` after them. */
  end(): void {
    if (this.#ends) return
    this.#ends = true
    for (const ended of this.#following.values()) setTimeout(() => ended.abort(), drainMs).unref()
    for (const wake of this.#waiting.values()) wake()
    this.#putEnd()
  }

  #putEnd(): void {
    if (this.#ends && this.#following.size === 0) void this.#lines.put('end')
  }

  gone(pod: PodSeen): void {
    const ended = this.#following.get(uidOf(pod))
    if (ended === undefined) return
    setTimeout(() => ended.abort(), drainMs).unref()
    this.#retrySoon(uidOf(pod))
  }

  #retrySoon(uid: string): void {
    const wake = this.#waiting.get(uid)
    if (wake === undefined) this.#changed.add(uid)
    else wake()
  }

  /** Follows one pod until it is gone: the log of each run of its container, without lines that were sent before. */
  async #follow(source: LogSource, uid: string, signal: AbortSignal): Promise<void> {
    const { sources } = this.#followed
    let restMs: number = againMs.first
    while (!signal.aborted && sources().some(({ pod }) => uidOf(pod) === uid)) {
      const advanced = await this.#readRun(source, uid, signal)
      restMs = advanced ? againMs.first : Math.min(restMs * 2, againMs.most)
      await this.#rest(uid, restMs, signal)
    }
    this.#cursors.delete(uid)
    this.#changed.delete(uid)
  }

  /** Returns whether there were new lines. */
  async #readRun(source: LogSource, uid: string, signal: AbortSignal): Promise<boolean> {
    const { query } = this.#followed
    const cursor = this.#cursors.get(uid)
    let repeated = cursor?.count ?? 0
    let advanced = false
    try {
      for await (const raw of this.#needs.podFollows.follow({
        ...this.#request(source.pod),
        uid,
        last: cursor?.t ?? '',
        signal,
      })) {
        const line = toLine(source, raw, false)
        if (cursor !== undefined && line.t !== '') {
          if (line.t < cursor.t) continue
          if (line.t === cursor.t && repeated-- > 0) continue
        }
        advanced = true
        this.#advance(uid, line.t)
        if (passes(line.line, query)) await this.#lines.put({ ...line, line: shownLine(line.line) })
      }
    } catch (error) {
      // The container has not started or is between two runs, or the connection broke: it is read again.
      if (!(error instanceof ClusterError)) throw error
    }
    return advanced
  }

  #advance(uid: string, t: string): void {
    const cursor = this.#cursors.get(uid)
    // The two outputs of a container get their times separately: a line may be a little older than the one before it.
    if (t === '' || (cursor !== undefined && t < cursor.t)) return
    this.#cursors.set(uid, cursor?.t === t ? { t, count: cursor.count + 1 } : { t, count: 1 })
  }

  /** For a pod without a cursor, all lines since the start of the stream. */
  #request(pod: PodSeen) {
    return {
      namespace: pod.metadata.namespace ?? '',
      pod: pod.metadata.name,
      container: containerOf(pod),
      sinceSeconds: durationSeconds(this.#followed.query.since ?? ''),
    }
  }

  #rest(uid: string, ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#ends) return Promise.resolve()
    return new Promise((resolve) => {
      let timer = setTimeout(done, this.#changed.delete(uid) ? againMs.soon : ms)
      const waiting = this.#waiting
      function done(): void {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        waiting.delete(uid)
        resolve()
      }
      signal.addEventListener('abort', done, { once: true })
      // The API server learns of a change in a pod a little before its node serves the log.
      waiting.set(uid, () => {
        clearTimeout(timer)
        timer = setTimeout(done, againMs.soon)
      })
    })
  }
}
