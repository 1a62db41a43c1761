/**
 * What a pass made for a record that is gone: the pass was cut off, another worker removed the record meanwhile, and no
 * later pass would find what was created after that.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { RecordStore } from '../../records/store/record-store.ts'

/** A record, and the reads of its kind. */
export interface RecordOf<T extends KubeObject> {
  record: T
  store: Pick<RecordStore<T>, 'readLive'>
}

/** Whether the live record is there: another one of its name is not it. */
export async function isThereNow<T extends KubeObject>({ record: { metadata }, store }: RecordOf<T>): Promise<boolean> {
  return (await store.readLive(metadata.name))?.metadata.uid === metadata.uid
}

/**
 * Creates objects, and reads the live record after that, also after a failure: if the record is gone, `remove` deletes
 * what was made for it. It must ask each object whose it is, since a new record may have the name.
 */
export async function removedIfGone<T extends KubeObject, R>(
  of: RecordOf<T>,
  make: () => Promise<R>,
  remove: () => Promise<unknown>,
): Promise<R> {
  try {
    return await make()
  } finally {
    if (!(await isThereNow(of))) await remove()
  }
}
