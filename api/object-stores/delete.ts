/** `DELETE /object-stores/{name}`: asks for the deletion; a store that nothing was made for is gone at once. */
import { askStoreDeletion } from '../../records/object-stores/ask-deletion.ts'
import type { Handler } from '../context/handler.ts'
import { hintRecord } from '../context/hints.ts'
import type { Needs } from '../context/needs.ts'
import { storeOf } from './scope.ts'

export const deleteStore =
  (needs: Needs): Handler<'object-stores.delete'> =>
  async (call) => {
    const { store, confirmName, abandon = false } = call.params
    if (abandon) call.respond.audit({ abandon: 'on' })
    const stays = await askStoreDeletion(needs.writes, await storeOf(needs, store), confirmName, abandon)
    hintRecord(needs, 'objectStore', store, 'deletion requested', call)
    return abandon ? { ok: true, stays } : { ok: true }
  }
