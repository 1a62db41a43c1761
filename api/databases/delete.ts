/** `DELETE /databases/{name}`: asks for the deletion; a database that nothing was made for is gone at once. */
import { askDatabaseDeletion } from '../../records/databases/ask-deletion.ts'
import type { Handler } from '../context/handler.ts'
import { hintRecord } from '../context/hints.ts'
import type { Needs } from '../context/needs.ts'
import { databaseOf } from './scope.ts'

export const deleteDatabase =
  (needs: Needs): Handler<'databases.delete'> =>
  async (call) => {
    const { db, confirmName, abandon = false } = call.params
    if (abandon) call.respond.audit({ abandon: 'on' })
    const stays = await askDatabaseDeletion(needs.writes, await databaseOf(needs, db), confirmName, abandon)
    hintRecord(needs, 'database', db, 'deletion requested', call)
    return abandon ? { ok: true, stays } : { ok: true }
  }
