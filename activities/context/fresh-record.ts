/** Runs a pass on the record as it stands, and again when another writer changed it meanwhile. */

import type { KubeObject } from '../../cluster/objects/object.ts'
import { onConflict, perActivity } from '../../cluster/retry.ts'
import type { RecordStore } from '../../records/store/record-store.ts'

/**
 * Reads the record past the cache and runs the pass; a conflict anywhere in it starts it over, so every decision is
 * made on the record that its write replaces. `gone` answers for a missing record and for another one of the same name.
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
    () => store.readLive(name),
    async (record) => (record === undefined || record.metadata.uid !== uid ? gone(record) : pass(record)),
  )
}
