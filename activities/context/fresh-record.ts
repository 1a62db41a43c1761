/** Runs a pass on the current record, and again if another writer changed the record meanwhile. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { onConflict, perActivity } from '../../cluster/retry.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { RecordStore } from '../../records/store/record-store.ts'

/**
 * Reads the record live and runs the pass; a conflict anywhere in the pass starts it over, so every decision is made on
 * the version of the record that its write replaces. If the cached object has the same version the pass gets that one,
 * since views memoized for it hold. `gone` is the result for a missing record and for another one of the same name.
 */
export async function onFreshRecord<T extends KubeObject, R>(
  store: RecordStore<T>,
  name: string,
  uid: string,
  pass: (record: T) => Promise<R>,
  gone: (other: T | undefined) => R,
): Promise<R> {
  return onConflict(
    perActivity,
    async () => sameOr(store.cache.get(name, systemNamespace), await store.readLive(name)),
    async (record) => (record === undefined || record.metadata.uid !== uid ? gone(record) : pass(record)),
  )
}

/**
 * The same, begun on the cached record, which spares a read: a pass whose first write has the record's version as its
 * condition ends in a conflict if the record was stale. A pass without such a write resolves with undefined for a
 * cached record, since a stale record must decide nothing; the pass is then run again on the live record.
 */
export async function onKnownRecord<T extends KubeObject, R extends object>(
  store: RecordStore<T>,
  name: string,
  uid: string | undefined,
  pass: (record: T, isLive: boolean) => Promise<R | undefined>,
  gone: (other: T | undefined) => R,
): Promise<R> {
  const isAsked = (record: T | undefined): record is T =>
    record !== undefined && (uid === undefined || record.metadata.uid === uid)
  const onLive = async (live: T | undefined): Promise<R> => {
    if (!isAsked(live)) return gone(live)
    const decided = await pass(live, true)
    if (decided === undefined) throw new Error(`a pass over ${name} came to nothing`)
    return decided
  }
  return onConflict(
    perActivity,
    async (attempt) => {
      const cached = attempt === 1 ? store.cache.get(name, systemNamespace) : undefined
      return { cached, live: cached === undefined ? await store.readLive(name) : undefined }
    },
    async ({ cached, live }) => {
      if (cached === undefined) return onLive(live)
      const decided = isAsked(cached) ? await pass(cached, false) : undefined
      return decided ?? onLive(sameOr(cached, await store.readLive(name)))
    },
  )
}

/** The cached object if it has the version of the live one, since views memoized for it hold; else the live one. */
const sameOr = <T extends KubeObject>(cached: T | undefined, live: T | undefined): T | undefined =>
  live?.metadata.uid === cached?.metadata.uid && live?.metadata.resourceVersion === cached?.metadata.resourceVersion
    ? cached
    : live
