/** Runs a pass on the record as it stands, and again when somebody wrote it meanwhile. */

import { isConflict } from '../cluster/errors.ts'
import type { KubeObject } from '../cluster/object.ts'
import type { RecordStore } from '../records/record-store.ts'

const tries = 8

/**
 * Reads the record past memory and runs the pass; a conflict anywhere in it starts it over, so every decision is made on the
 * record that its write replaces. `gone` answers for a missing record and for another one of the same name.
 */
export async function onFreshRecord<T extends KubeObject, R>(
  store: RecordStore<T>,
  name: string,
  uid: string,
  pass: (record: T) => Promise<R>,
  gone: (other: T | undefined) => R,
): Promise<R> {
  for (let attempt = 1; ; attempt += 1) {
    const record = await store.readLive(name)
    if (record === undefined || record.metadata.uid !== uid) return gone(record)
    try {
      return await pass(record)
    } catch (error) {
      if (!isConflict(error) || attempt === tries) throw error
    }
  }
}
