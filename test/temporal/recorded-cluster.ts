/**
 * A cluster in memory that only answers lists and watches: enough for the watch, and fast enough for thousands of
 * services.
 */
import type { ClusterClient, ListQuery, WatchEvent, WatchQuery } from '../../cluster/objects/cluster-client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ResourceType } from '../../cluster/objects/resource-type.ts'

export interface RecordedCluster {
  client: ClusterClient
  /** Adds or replaces the object and sends it to every open watch of its type. */
  put(type: ResourceType, object: KubeObject): KubeObject
  remove(type: ResourceType, object: KubeObject): void
}

export function recordedCluster(): RecordedCluster {
  const held = new Map<string, Map<string, KubeObject>>()
  const watches = new Map<string, Set<(event: WatchEvent<KubeObject>) => void>>()
  let version = 100
  const of = (type: ResourceType) =>
    held.get(type.plural) ?? held.set(type.plural, new Map()).get(type.plural) ?? new Map<string, KubeObject>()
  const key = ({ metadata }: KubeObject) => `${metadata.namespace ?? ''}/${metadata.name}`
  const emit = (type: ResourceType, event: WatchEvent<KubeObject>) =>
    watches.get(type.plural)?.forEach((listener) => listener(event))

  async function* events(
    type: ResourceType,
    { namespace, signal }: WatchQuery,
  ): AsyncGenerator<WatchEvent<KubeObject>[]> {
    const waiting: WatchEvent<KubeObject>[] = []
    let wake = () => {}
    const listener = (event: WatchEvent<KubeObject>) => {
      if (namespace !== undefined && event.object.metadata.namespace !== namespace) return
      waiting.push(event)
      wake()
    }
    const listeners = watches.get(type.plural) ?? new Set()
    watches.set(type.plural, listeners.add(listener))
    signal?.addEventListener('abort', () => wake())
    while (signal?.aborted !== true) {
      if (waiting.length > 0) yield waiting.splice(0)
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
    listeners.delete(listener)
  }
  const client = {
    list: (type: ResourceType, { namespace }: ListQuery = {}) =>
      Promise.resolve({
        items: [...of(type).values()].filter(
          ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
        ),
        resourceVersion: String(version),
      }),
    watch: (type: ResourceType, query: WatchQuery) => Promise.resolve(events(type, query)),
  }
  return {
    client: client as unknown as ClusterClient, // the watch only lists and watches
    put(type, object) {
      version += 1
      const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } }
      const known = of(type).has(key(object))
      of(type).set(key(object), stored)
      emit(type, { type: known ? 'MODIFIED' : 'ADDED', object: stored })
      return stored
    },
    remove(type, object) {
      version += 1
      of(type).delete(key(object))
      emit(type, {
        type: 'DELETED',
        object: { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } },
      })
    },
  }
}
