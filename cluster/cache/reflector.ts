/** Keeps a copy of a collection current: list, then watch, and again after every kind of gap, without end. */
import { createBackoff, pause } from '../objects/backoff.ts'
import type { ClusterClient, Selection, WatchEvent } from '../objects/cluster-client.ts'
import { ClusterError, isExpired, isNotFound, noAnswer } from '../objects/errors.ts'
import type { Logger } from '../objects/log.ts'
import type { KubeObject } from '../objects/object.ts'
import type { ResourceType } from '../objects/resource-type.ts'
import { compareVersions } from './resource-version.ts'
import { defined } from '../../contract/defined.ts'

/** `live` while a watch is open, `absent` when an optional type is not installed. */
export type Health = { state: 'live' } | { state: 'absent' } | { state: 'retrying'; error: unknown }

export interface ReflectorTiming {
  /** A bookmark is sent each minute, sometimes a little late. */
  silenceMs: number
  firstRetryMs: number
  /** The longest pause between tries: so long a cache may lag behind an API server that is back. */
  mostRetryMs: number
  /** Between look-ups of an optional type that is not installed. */
  absentRetryMs: number
  listTimeoutMs: number
  /** Watches end by themselves after a random time between the two. */
  watchSeconds: readonly [number, number]
}

export const defaultTiming: ReflectorTiming = {
  silenceMs: 90_000,
  firstRetryMs: 200,
  mostRetryMs: 3_000,
  absentRetryMs: 30_000,
  listTimeoutMs: 60_000,
  watchSeconds: [300, 600],
}

/** Receives the changes of the collection in order; must not throw. */
export interface ReflectorSink<T> {
  /**
   * The whole collection as of `resourceVersion`. `reset` when the versions of the API server have gone back, as after
   * a restore of etcd: earlier versions then mean nothing.
   */
  replaced(items: T[], resourceVersion: string, reset: boolean): void
  changed(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void
  /** Every event up to this version has been sent to the sink. */
  reached(resourceVersion: string): void
  health(health: Health): void
}

export interface ReflectorOptions extends Selection {
  client: Pick<ClusterClient, 'list' | 'watch'>
  type: ResourceType
  optional?: boolean
  log: Logger
  timing?: Partial<ReflectorTiming>
}

/** A watch that was open this long was no failure to connect, so the backoff starts over. */
const stoodMs = 1_000
/** After so many failed watches in a row the collection is listed again, in case the resource version is the cause. */
const fruitlessBeforeList = 5

export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions
  readonly #sink: ReflectorSink<T>
  readonly #timing: ReflectorTiming
  /** The version up to which the sink has everything; undefined: list first. */
  #position: string | undefined
  /** The newest version seen, to notice an API server whose versions went back. */
  #newest: string | undefined
  #fruitless = 0
  #silences = 0
  #failing = false
  #standsSince: number | undefined

  constructor(options: ReflectorOptions, sink: ReflectorSink<T>) {
    this.#options = options
    this.#sink = sink
    this.#timing = { ...defaultTiming, ...options.timing }
  }

  /** Returns when the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const backoff = createBackoff(this.#timing.firstRetryMs, this.#timing.mostRetryMs)
    while (!signal.aborted) {
      this.#standsSince = undefined
      try {
        if (this.#position === undefined) await this.#list(signal)
        await this.#watch(signal)
        if (this.#stood()) backoff.reset()
        else await pause(backoff.next(), signal)
      } catch (error) {
        if (signal.aborted) return
        if (this.#stood()) backoff.reset()
        await pause(this.#failed(error, backoff.next()), signal)
      }
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, type } = this.#options
    const { items, resourceVersion } = await client.list<T>(type, {
      ...this.#selection(),
      signal,
      timeoutMs: this.#timing.listTimeoutMs,
    })
    if (signal.aborted) return
    const behind = compareVersions(resourceVersion, this.#newest)
    const reset = behind !== undefined && behind < 0
    if (reset) this.#log('warn', 'the server went back in time; everything is read anew')
    this.#sink.replaced(items, resourceVersion, reset)
    this.#position = resourceVersion
    this.#newest = resourceVersion
    this.#fruitless = 0
    this.#silences = 0
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const resourceVersion = this.#position
    if (resourceVersion === undefined || signal.aborted) return
    const { client, type } = this.#options
    const [least, most] = this.#timing.watchSeconds
    const timeoutSeconds = Math.round(least + Math.random() * (most - least))
    const events = await client.watch<T>(type, {
      ...this.#selection(),
      resourceVersion,
      timeoutSeconds,
      silenceMs: this.#timing.silenceMs,
      signal,
    })
    this.#live()
    for await (const batch of events) {
      if (signal.aborted) return
      for (const event of batch) if (!this.#take(event)) return
      this.#fruitless = 0
      this.#silences = 0
    }
  }

  /** False when the API server's versions are older than the known ones: the collection must be listed again. */
  #take({ type, object }: WatchEvent<T>): boolean {
    const version = object.metadata.resourceVersion
    if (version === undefined) return true
    const step = compareVersions(version, this.#position)
    if (step !== undefined && step < 0) {
      this.#position = undefined
      return false
    }
    if (type !== 'BOOKMARK') this.#sink.changed(type, object)
    this.#position = version
    this.#newest = version
    this.#sink.reached(version)
    return true
  }

  #live(): void {
    if (this.#failing) this.#log('info', 'the watch stands again')
    this.#failing = false
    this.#standsSince = performance.now()
    this.#sink.health({ state: 'live' })
  }

  #stood(): boolean {
    return this.#standsSince !== undefined && performance.now() - this.#standsSince >= stoodMs
  }

  /** Decides how to continue after an error; returns how long to wait, in milliseconds. */
  #failed(error: unknown, waitMs: number): number {
    if (isExpired(error)) {
      this.#log('info', 'the server forgot our version; listing again')
      this.#position = undefined
      return waitMs
    }
    if (error instanceof ClusterError && error.reason === noAnswer.silent) return this.#silent(waitMs)
    if (this.#options.optional && isNotFound(error)) return this.#absent()
    this.#fruitless += 1
    // Not after a mere loss of the connection: the version is still good then, and a list costs the API server far
    // more.
    const answered = error instanceof ClusterError && error.status !== 0
    if (answered && this.#fruitless >= fruitlessBeforeList) this.#position = undefined
    this.#failing = true
    this.#log('warn', 'the watch broke; trying again', error)
    this.#sink.health({ state: 'retrying', error })
    return Math.max(waitMs, error instanceof ClusterError ? (error.retryAfterSeconds ?? 0) * 1000 : 0)
  }

  /**
   * A collection without any change gets no bookmarks, so one silence only renews the watch; a second one lists again.
   */
  #silent(waitMs: number): number {
    this.#silences += 1
    this.#log('debug', 'the watch fell silent; renewing it')
    if (this.#silences >= 2) this.#position = undefined
    return waitMs
  }

  #absent(): number {
    this.#position = undefined
    this.#newest = undefined
    this.#failing = false
    this.#sink.health({ state: 'absent' })
    return this.#timing.absentRetryMs * (0.75 + Math.random() / 2)
  }

  #selection(): Selection {
    const { namespace, labelSelector, fieldSelector, metadataOnly } = this.#options
    return Object.fromEntries(
      Object.entries({ namespace, labelSelector, fieldSelector, metadataOnly }).filter(
        ([, value]) => value !== undefined,
      ),
    )
  }

  #log(level: keyof Logger, message: string, error?: unknown): void {
    const { type, namespace, log } = this.#options
    log[level]({ resource: type.plural, namespace, ...defined({ err: error }) }, message)
  }
}
