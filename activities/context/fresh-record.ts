/** Runs a pass on the record as it stands, and again when another writer changed it meanwhile. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { onConflict, perActivity } from '../../cluster/retry.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { RecordStore } from '../../records/store/record-store.ts'

/**
 * Reads the record past the cache and runs the pass; a conflict anywhere in it starts it over, so every decision is
 * made on the record that its write replaces. The pass is given the cached object where that is of the same version:
 * what was made of it holds. `gone` answers for a missing record and for another one of the same name.
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
 * The same, begun on the cached record: a read less where the pass writes on condition of the version that it was
 * given, since a record that was out of date meets a conflict there. The pass answers undefined where it has written
 * nothing of the kind and the record is not live: an old record decides nothing, and the pass is run again on the live
 * one.
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

/** The cached record where it was the live one: what was made of it holds. */
const sameOr = <T extends KubeObject>(cached: T | undefined, live: T | undefined): T | undefined =>
  live?.metadata.uid === cached?.metadata.uid && live?.metadata.resourceVersion === cached?.metadata.resourceVersion
    ? cached
    : live
