/** A copy of a collection in memory, kept current by a watch, in which a caller also finds its own writes at once. */
import { CacheEvents, type CacheEvent } from './events.ts'
import type { ClusterClient, Selection } from '../objects/cluster-client.ts'
import type { Logger } from '../objects/log.ts'
import { nameKey, keyOfObject, type KubeObject } from '../objects/object.ts'
import { Indexer, type IndexFunction } from './indexer.ts'
import { Reflector, type Health, type ReflectorTiming } from './reflector.ts'
import type { ResourceType } from '../objects/resource-type.ts'
import { compareVersions } from './resource-version.ts'
import { belongsTo, type Belongs } from './belongs.ts'
import { Waiters } from './waiters.ts'

export type { CacheEvent } from './events.ts'
export type { Health } from './reflector.ts'

export interface CacheOptions<T extends KubeObject> extends Selection {
  client: Pick<ClusterClient, 'list' | 'watch'>
  type: ResourceType
  /**
   * Drops fields that no rule reads; managedFields are always dropped. Must return a new object and keep the identity
   * fields of metadata.
   */
  trim?: (object: T) => T
  indexes?: Record<string, IndexFunction<T>>
  /**
   * The type may not be installed: start() then resolves with an empty cache, and the type is looked up again now and
   * then.
   */
  optional?: boolean
  log: Logger
  onHealth?: (health: Health) => void
  timing?: Partial<ReflectorTiming>
}

export class ResourceCache<T extends KubeObject> {
  readonly #options: CacheOptions<T>
  readonly #store: Indexer<T>
  readonly #events: CacheEvents<T>
  readonly #waiters = new Waiters()
  readonly #belongs: (object: KubeObject) => Belongs
  readonly #stopper = new AbortController()
  readonly #firstList = Promise.withResolvers<void>()
  /** Uids of objects whose deletion a caller has confirmed; late watch events must not bring them back. */
  readonly #forgotten = new Set<string>()
  #running: Promise<void> | undefined
  /** The resource version up to which every event has arrived. */
  #position: string | undefined
  #synced = false
  #absent = false
  #live = false
  #receivedAt = performance.now()

  constructor(options: CacheOptions<T>) {
    this.#options = options
    this.#belongs = belongsTo(options)
    const indexes = Object.entries(options.indexes ?? {}).map(
      ([name, keysOf]) => [name, (object: T) => this.#guard(`index ${name}`, () => keysOf(object), [])] as const,
    )
    this.#store = new Indexer<T>(Object.fromEntries(indexes))
    this.#events = new CacheEvents<T>(options.log, options.type.plural)
    this.#events.listen((event) => this.#waiters.notify(keyOfObject(event.object)))
    // The caller may never call start(): the rejection must then not be unhandled.
    this.#firstList.promise.catch(() => undefined)
  }

  /** Increases with each change. */
  get version(): number {
    return this.#store.version
  }

  /** Whether the first list has arrived, or the optional type is known to be absent. */
  get synced(): boolean {
    return this.#synced || this.#absent
  }

  /** Resolves when the first list has arrived, however long that takes; rejects only when stop() is called before. */
  start(): Promise<void> {
    this.#running ??= new Reflector<T>(this.#options, {
      replaced: (items, version, reset) => this.#replaced(items, version, reset),
      changed: (type, object) => this.#changed(type, object),
      reached: (version) => this.#reached(version),
      health: (health) => this.#health(health),
    }).run(this.#stopper.signal)
    return this.#firstList.promise
  }

  async stop(): Promise<void> {
    this.#stopper.abort()
    this.#firstList.reject(new Error(`the cache of ${this.#options.type.plural} was stopped before its first list`))
    this.#waiters.end()
    await this.#running
    this.#live = false
  }

  get(name: string, namespace?: string): T | undefined {
    return this.#store.get(nameKey(name, namespace))
  }

  /** The cached object if it has this version or a later one; undefined also where the versions cannot be compared. */
  getSince(version: string | undefined, name: string, namespace?: string): T | undefined {
    const held = this.get(name, namespace)
    const order = compareVersions(held?.metadata.resourceVersion, version)
    return order !== undefined && order >= 0 ? held : undefined
  }

  /** Sorted by name; the same array as long as nothing changed. */
  list(): readonly T[] {
    return this.#store.objects()
  }

  /**
   * Sorted by name; the same array as long as nothing under this key changed. Throws for an index that was not
   * declared.
   */
  by(index: string, key: string): readonly T[] {
    return this.#store.by(index, key)
  }

  /**
   * Milliseconds since the API server last sent an event, bookmark or list; up to a minute in a collection without
   * changes.
   */
  ageMs(): number {
    return performance.now() - this.#receivedAt
  }

  /**
   * How old answers from the cache may be: 0 while a watch is open, else milliseconds since the API server last sent
   * something.
   */
  staleMs(): number {
    return this.#live ? 0 : this.ageMs()
  }

  /**
   * Stores an object that the API server returned to a write, so that the writer reads it at once. Older versions are
   * ignored.
   */
  put(object: T): void {
    const held = this.#store.get(keyOfObject(object))
    const belongs = this.#belongs(object)
    if (belongs === 'no') {
      if (held !== undefined && isNewer(object, held)) this.#remove(held, object)
      return
    }
    if (held === undefined) {
      if (belongs === 'unknown' || this.#isForgotten(object)) return
      // The object is not cached although the watch is past its version: it was deleted meanwhile.
      if (!isNewerThan(object.metadata.resourceVersion, this.#position)) return
    }
    this.#take(object, false)
  }

  /** Drops an object whose deletion the API server has confirmed; a newer object of the same name stays. */
  forget(object: T): void {
    const held = this.#store.get(keyOfObject(object))
    const { uid } = object.metadata
    if (uid !== undefined) this.#forgotten.add(uid)
    if (held !== undefined && held.metadata.uid === uid) this.#remove(held, object)
  }

  /**
   * Calls the listener after each change, in order; returns a function that ends this. An error of a listener is
   * logged.
   */
  onChange(listener: (event: CacheEvent<T>) => void): () => void {
    return this.#events.listen(listener)
  }

  /**
   * true as soon as the predicate holds; false when the time is up or the cache stops first; rejects with the signal's
   * reason.
   */
  waitFor(
    predicate: (object: T | undefined) => boolean,
    name: string,
    namespace: string | undefined,
    options: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<boolean> {
    return this.#waiters.wait(nameKey(name, namespace), () => predicate(this.get(name, namespace)), options)
  }

  #replaced(items: T[], version: string, reset: boolean): void {
    const initial = !this.#synced
    this.#forgotten.clear()
    this.#events.hold(() => {
      const listed = new Set(items.map(keyOfObject))
      for (const held of this.#store.objects()) {
        // This process wrote the object after the list was made: the watch will report it.
        const newer = !reset && isOlderThan(version, held.metadata.resourceVersion)
        if (!listed.has(keyOfObject(held)) && !newer) this.#remove(held, held)
      }
      for (const item of items) this.#take(item, initial, reset)
    })
    this.#reached(version)
    this.#synced = true
    this.#firstList.resolve()
  }

  #changed(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void {
    if (type !== 'DELETED') {
      if (!this.#isForgotten(object)) this.#take(object, false)
      return
    }
    if (object.metadata.uid !== undefined) this.#forgotten.delete(object.metadata.uid)
    const held = this.#store.get(keyOfObject(object))
    // A newer object of the same name may have been stored by put() already.
    if (held !== undefined && !isOlderThan(object.metadata.resourceVersion, held.metadata.resourceVersion))
      this.#remove(held, object)
  }

  #reached(version: string): void {
    this.#position = version
    this.#receivedAt = performance.now()
  }

  #health(health: Health): void {
    this.#live = health.state === 'live'
    this.#absent = health.state === 'absent'
    if (this.#absent) {
      // Without its type no object exists: cached ones are dropped, also those that put() stored while no watch was
      // open.
      this.#events.hold(() => {
        for (const held of this.#store.objects()) this.#remove(held, held)
      })
      this.#receivedAt = performance.now()
      this.#position = undefined
      this.#firstList.resolve()
    }
    this.#guard('a health listener', () => this.#options.onHealth?.(health), undefined)
  }

  /** Stores the object unless the cached one is as new or newer. */
  #take(object: T, initial: boolean, reset = false): void {
    const held = this.#store.get(keyOfObject(object))
    if (
      held !== undefined &&
      !(reset ? held.metadata.resourceVersion !== object.metadata.resourceVersion : isNewer(object, held))
    )
      return
    const kept = this.#trimmed(object)
    // Another object under the same name: listeners must see the deletion of the first one.
    const recreated = held !== undefined && held.metadata.uid !== object.metadata.uid
    if (recreated) this.#remove(held, held)
    this.#store.set(kept)
    if (held === undefined || recreated) this.#events.emit({ type: 'add', object: kept, initial })
    else this.#events.emit({ type: 'update', object: kept, previous: held, initial })
  }

  /** `last` is the last known state of the object. */
  #remove(held: T, last: T): void {
    this.#store.remove(keyOfObject(held))
    this.#events.emit({
      type: 'delete',
      object: last === held ? held : this.#trimmed(last),
      previous: held,
      initial: false,
    })
  }

  /** Whether the object was forgotten; one with a deletion timestamp still exists and is not. */
  #isForgotten({ metadata }: T): boolean {
    return metadata.uid !== undefined && metadata.deletionTimestamp === undefined && this.#forgotten.has(metadata.uid)
  }

  #trimmed(object: T): T {
    const { managedFields: _, ...metadata } = object.metadata
    const light = { ...object, metadata }
    return this.#guard('trim', () => this.#options.trim?.(light) ?? light, light)
  }

  /** A failing callback must not end the watch: the error is logged and the fallback returned. */
  #guard<R>(what: string, run: () => R, fallback: R): R {
    try {
      return run()
    } catch (error) {
      this.#options.log.error({ resource: this.#options.type.plural, err: error }, `${what} failed`)
      return fallback
    }
  }
}

function isNewer(object: KubeObject, held: KubeObject): boolean {
  return isNewerThan(object.metadata.resourceVersion, held.metadata.resourceVersion)
}

/** When versions cannot be compared, the later arrival counts as newer. */
function isNewerThan(version: string | undefined, other: string | undefined): boolean {
  const order = compareVersions(version, other)
  return order === undefined || order > 0
}

function isOlderThan(version: string | undefined, other: string | undefined): boolean {
  const order = compareVersions(version, other)
  return order !== undefined && order < 0
}
