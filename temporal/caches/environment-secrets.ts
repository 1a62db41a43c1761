/**
 * The connection Secrets of svc-system and of every environment. Each namespace has a watch of its own, since the
 * worker may not read Secrets of other namespaces.
 */
import type { CachedNamespace, ConnectionSecrets } from '../../activities/context/needs.ts'
import { type CacheEvent, ResourceCache } from '../../cluster/cache/cache.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Logger } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { connectionPurpose } from '../../kinds/secrets/connection-secret.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'

/** Limit of the start: a namespace whose Secrets the worker may not list must not delay it for longer. */
const startMs = 15_000

export class EnvironmentSecrets implements ConnectionSecrets {
  readonly #client: ClusterClient
  readonly #namespaces: ResourceCache<CachedNamespace>
  readonly #log: Logger
  readonly #caches = new Map<string, ResourceCache<KubeObject>>()
  readonly #listeners = new Set<(event: CacheEvent<KubeObject>) => void>()
  readonly #known = new Set<(namespace: string) => void>()
  #unfollow = () => {}

  constructor(client: ClusterClient, namespaces: ResourceCache<CachedNamespace>, log: Logger) {
    this.#client = client
    this.#namespaces = namespaces
    // The first list in a new namespace fails until its RoleBindings exist, and is repeated: that is no warning.
    this.#log = { ...bound(log), warn: (fields, message) => log.debug(fields, message) }
  }

  /**
   * Resolves once the Secrets of svc-system are listed, and those of every environment that the worker may read. The
   * cache of namespaces must be synced.
   */
  async start(): Promise<void> {
    this.#unfollow = this.#namespaces.onChange(({ type, object }) => {
      if (type === 'delete') void this.#drop(object.metadata.name)
      else if (isEnvironment(object)) void this.#watch(object.metadata.name)
    })
    const environments = this.#namespaces.list().filter(isEnvironment)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, startMs)
    })
    await Promise.all([
      this.#watch(systemNamespace),
      Promise.race([late, Promise.all(environments.map(({ metadata }) => this.#watch(metadata.name)))]),
    ])
    clearTimeout(timer)
  }

  async stop(): Promise<void> {
    this.#unfollow()
    await Promise.all([...this.#caches.keys()].map((namespace) => this.#drop(namespace)))
  }

  isMissing(name: string, namespace: string): boolean {
    const cache = this.#caches.get(namespace)
    return cache?.synced === true && cache.get(name, namespace) === undefined
  }

  onChange(listener: (event: CacheEvent<KubeObject>) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onKnown(listener: (namespace: string) => void): () => void {
    this.#known.add(listener)
    return () => this.#known.delete(listener)
  }

  /** Resolves once the Secrets of the namespace are listed, or its watch was stopped. */
  async #watch(namespace: string): Promise<void> {
    if (this.#caches.has(namespace)) return
    const labelSelector = `${labels.purpose}=${connectionPurpose}`
    const cache = new ResourceCache<KubeObject>({
      client: this.#client,
      type: coreTypes.secret,
      namespace,
      labelSelector,
      metadataOnly: true,
      log: this.#log,
    })
    this.#caches.set(namespace, cache)
    cache.onChange((event) => {
      for (const listener of this.#listeners) listener(event)
    })
    try {
      await cache.start()
    } catch {
      return // stopped before its first list
    }
    for (const listener of this.#known) listener(namespace)
  }

  async #drop(namespace: string): Promise<void> {
    const cache = this.#caches.get(namespace)
    this.#caches.delete(namespace)
    await cache?.stop()
  }
}

const isEnvironment = ({ metadata }: CachedNamespace): boolean =>
  metadata.labels?.[labels.environment] !== undefined && metadata.name !== systemNamespace

const bound = (log: Logger): Logger => ({
  debug: (fields, message) => log.debug(fields, message),
  info: (fields, message) => log.debug(fields, message),
  warn: (fields, message) => log.warn(fields, message),
  error: (fields, message) => log.error(fields, message),
})
