/** `DELETE /databases/{name}`: asks for the deletion; a database that nothing was made for is gone at once. */
import { askDatabaseDeletion } from '../../records/databases/ask-deletion.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { databaseOf } from './scope.ts'

export const deleteDatabase =
  (needs: Needs): Handler<'databases.delete'> =>
  async ({ params }) => {
    await askDatabaseDeletion(needs.writes, await databaseOf(needs, params.db), params.confirmName)
    return { ok: true }
  }
