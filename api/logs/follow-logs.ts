/** Follows the logs of pods as one stream: recent lines first, then new ones, across restarts and new pods. */
import { ClusterError } from '../../cluster/errors.ts'
import { durationSeconds } from '../../contract/log-fields.ts'
import type { ServerEvent } from '../../contract/operation.ts'
import { passes, shownLine } from '../../kinds/logs/log-line.ts'
import type { Needs } from '../context/needs.ts'
import type { PodSeen } from '../context/trim.ts'
import { LineQueue } from './line-queue.ts'
import { containerOf, podsMax, readRecent, toLine, uidOf } from './log-lines.ts'
import type { LogLine, LogQuery, LogSource, Told } from './log-lines.ts'

/** A container between two runs is asked again after this, ever more rarely, and soon after its pod changed. */
const againMs = { first: 1000, most: 15_000, soon: 200 } as const
/** What a pod that is gone still has to say comes within this; the log of a node that died would never end. */
const lastWordsMs = 10_000

export interface Followed {
  /** The pods right now. */
  readonly sources: () => readonly LogSource[]
  /** Whether a pod may be one of them: most that changes on a cluster is not. */
  readonly concerns: (pod: PodSeen) => boolean
  readonly query: LogQuery
  /** Ends the stream. */
  readonly signal: AbortSignal
}

/**
 * Reads what is there, then hands out the stream, one event a line; with `previous` the runs before these come first. A pod that
 * goes away ends its part only. Throws ClusterError when the cluster does not answer.
 */
export async function followLogs(needs: Needs, followed: Followed): Promise<AsyncIterable<ServerEvent>> {
  const { sources, query, signal } = followed
  const earlier = query.previous === true ? (await readRecent(needs, sources(), query, signal)).lines : []
  const recent = await readRecent(needs, sources(), { ...query, previous: false }, signal)
  return tell([...earlier, ...recent.lines], needs, followed, new Map(recent.told))
}

async function* tell(recent: readonly LogLine[], needs: Needs, followed: Followed, told: Map<string, Told>): AsyncGenerator<ServerEvent> {
  const ended = new AbortController()
  const signal = AbortSignal.any([followed.signal, ended.signal])
  const lines = new LineQueue<LogLine>(signal)
  const follower = new Follower(needs, { ...followed, signal }, told, lines)
  const unlisten = needs.caches.pods.onChange(({ type, object }) => {
    if (!followed.concerns(object)) return
    if (type === 'delete') follower.gone(object)
    else follower.look(object)
  })
  try {
    for (const line of recent) yield { data: line }
    follower.look()
    for await (const line of lines.take()) yield { data: line }
  } finally {
    unlisten()
    ended.abort()
  }
}

/** The streams of all pods of one listener. */
class Follower {
  readonly #needs: Needs
  readonly #followed: Followed
  readonly #told: Map<string, Told>
  readonly #lines: LineQueue<LogLine>
  /** What ends following a pod, by its uid. */
  readonly #following = new Map<string, AbortController>()
  /** Pods between two runs: what ends their wait. */
  readonly #waiting = new Map<string, () => void>()
  /** Pods that changed while their log was being read. */
  readonly #stirred = new Set<string>()

  constructor(needs: Needs, followed: Followed, told: Map<string, Told>, lines: LineQueue<LogLine>) {
    this.#needs = needs
    this.#followed = followed
    this.#told = told
    this.#lines = lines
  }

  /** Follows pods that are new, and asks the one that changed again. */
  look(changed?: PodSeen): void {
    if (this.#followed.signal.aborted) return
    if (changed !== undefined && this.#following.has(uidOf(changed))) return this.#stir(uidOf(changed))
    for (const source of this.#followed.sources()) {
      const uid = uidOf(source.pod)
      if (this.#following.has(uid)) continue
      if (this.#following.size >= podsMax) return
      const ended = new AbortController()
      this.#following.set(uid, ended)
      this.#follow(source, uid, AbortSignal.any([this.#followed.signal, ended.signal]))
        .catch((error: unknown) => {
          this.#needs.log.warn({ pod: source.pod.metadata.name, error: String(error) }, 'following a pod log ended')
        })
        .finally(() => this.#following.delete(uid)) // one that is there still is followed again with the next change
    }
  }

  gone(pod: PodSeen): void {
    const ended = this.#following.get(uidOf(pod))
    if (ended === undefined) return
    setTimeout(() => ended.abort(), lastWordsMs).unref()
    this.#stir(uidOf(pod))
  }

  #stir(uid: string): void {
    const wake = this.#waiting.get(uid)
    if (wake === undefined) this.#stirred.add(uid)
    else wake()
  }

  /** One pod until it is gone: the stream of each run of its container, without repeating what was told already. */
  async #follow(source: LogSource, uid: string, signal: AbortSignal): Promise<void> {
    const { sources } = this.#followed
    let restMs: number = againMs.first
    while (!signal.aborted && sources().some(({ pod }) => uidOf(pod) === uid)) {
      const heard = await this.#readRun(source, uid, signal)
      restMs = heard ? againMs.first : Math.min(restMs * 2, againMs.most)
      await this.#rest(uid, restMs, signal)
    }
    this.#told.delete(uid)
    this.#stirred.delete(uid)
  }

  /** Whether anything new came. */
  async #readRun(source: LogSource, uid: string, signal: AbortSignal): Promise<boolean> {
    const { query } = this.#followed
    const told = this.#told.get(uid)
    let repeated = told?.count ?? 0
    let heard = false
    try {
      for await (const raw of this.#needs.podFollows.follow({ ...this.#request(source.pod), uid, last: told?.t ?? '', signal })) {
        const line = toLine(source, raw, false)
        if (told !== undefined && line.t !== '') {
          if (line.t < told.t) continue
          if (line.t === told.t && repeated-- > 0) continue
        }
        heard = true
        this.#note(uid, line.t)
        if (passes(line.line, query)) await this.#lines.put({ ...line, line: shownLine(line.line) })
      }
    } catch (error) {
      // Not started yet, between two runs, or the connection broke: all of it may end, so it is asked again.
      if (!(error instanceof ClusterError)) throw error
    }
    return heard
  }

  #note(uid: string, t: string): void {
    const told = this.#told.get(uid)
    // The two outputs of a container are stamped one by one: a line may be a little older than the one before it.
    if (t === '' || (told !== undefined && t < told.t)) return
    this.#told.set(uid, told?.t === t ? { t, count: told.count + 1 } : { t, count: 1 })
  }

  /** Of a pod never heard of, everything since. */
  #request(pod: PodSeen) {
    return {
      namespace: pod.metadata.namespace ?? '',
      pod: pod.metadata.name,
      container: containerOf(pod),
      sinceSeconds: durationSeconds(this.#followed.query.since ?? ''),
    }
  }

  #rest(uid: string, ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      let timer = setTimeout(done, this.#stirred.delete(uid) ? againMs.soon : ms)
      const waiting = this.#waiting
      function done(): void {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        waiting.delete(uid)
        resolve()
      }
      signal.addEventListener('abort', done, { once: true })
      // The record of a pod is a little ahead of what its node answers.
      waiting.set(uid, () => {
        clearTimeout(timer)
        timer = setTimeout(done, againMs.soon)
      })
    })
  }
}
