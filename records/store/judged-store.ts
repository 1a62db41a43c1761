/**
 * The records that one caller may touch: asked of the very record that is read or replaced, since a name may be another
 * record's by now.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { Problem } from '../../contract/problem.ts'
import type { RecordStore } from './record-store.ts'

/** What the cluster holds under the name is not what the caller was judged by: nothing of it was read or written. */
export class OtherRecord extends Problem {
  constructor(message: string) {
    super('not_found', message)
    this.name = 'OtherRecord'
  }
}

/**
 * `edit` asks of each record that it is about to replace, which its conditional write then replaces or nothing; `read`
 * and `readLive` know of no other, and `remove` finds what has the name where the record is gone. All throw
 * OtherRecord, with `message`, where the cluster itself holds another one.
 */
export function judgedStore<T extends KubeObject>(
  store: RecordStore<T>,
  may: (record: T) => boolean,
  message: string,
): RecordStore<T> {
  const judged = (record: T | undefined): T | undefined => {
    if (record !== undefined && !may(record)) throw new OtherRecord(message)
    return record
  }
  const readLive = async (name: string) => judged(await store.readLive(name))
  return {
    ...store,
    readLive,
    read: async (name) => {
      const known = await store.read(name)
      return known === undefined || may(known) ? known : readLive(name)
    },
    edit: (name, change, ifMatch) => store.edit(name, (record) => change(judged(record) ?? record), ifMatch),
    async remove(name, uid) {
      const there = await store.remove(name, uid)
      if (!there) await readLive(name)
      return there
    },
  }
}
