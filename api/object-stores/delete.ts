/** `DELETE /object-stores/{name}`: asks for the deletion; a store that nothing was made for is gone at once. */
import { askStoreDeletion } from '../../records/object-stores/ask-deletion.ts'
import type { Handler } from '../handler.ts'
import { hintRecord } from '../hint-record.ts'
import type { Needs } from '../needs.ts'
import { storeOf } from './scope.ts'

export const deleteStore =
  (needs: Needs): Handler<'object-stores.delete'> =>
  async (call) => {
    await askStoreDeletion(needs.writes, await storeOf(needs, call.params.store), call.params.confirmName)
    hintRecord(needs, 'objectStore', call.params.store, 'deletion requested', call)
    return { ok: true }
  }
