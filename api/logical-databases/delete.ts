/** `DELETE /logical-databases/{name}`: asks for the deletion; one that nothing was made for is gone at once. */
import { removeRecord } from '../../records/edit-record.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { logicalDatabaseOf } from './scope.ts'

export const deleteLogicalDatabase =
  (needs: Needs): Handler<'logical-databases.delete'> =>
  async ({ params }) => {
    const database = await logicalDatabaseOf(needs, params.logicalDatabase)
    await removeRecord(needs.records.logicalDatabases, 'logical database', database, params.confirmName)
    return { ok: true }
  }
