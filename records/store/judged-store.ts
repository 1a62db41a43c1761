/**
 * The records that one caller may access: decided on the very record that is read or replaced, since a name may belong
 * to another record by now.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { Problem } from '../../contract/problem.ts'
import type { RecordStore } from './record-store.ts'

/** The record under the name is not the one that the caller was authorized for: nothing of it was read or written. */
export class OtherRecord extends Problem {
  constructor(message: string) {
    super('not_found', message)
    this.name = 'OtherRecord'
  }
}

/**
 * `edit` checks each record that it is about to replace, and its conditional write replaces that one or none; `read`
 * and `readLive` return no other record, and `remove` checks what has the name when the record is gone. All throw
 * OtherRecord, with `message`, where the live record is another one.
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
    async remove(name, uid, asked) {
      const there = await store.remove(name, uid, asked)
      if (!there) await readLive(name)
      return there
    },
  }
}
