/** `DELETE /logical-databases/{name}`: asks for the deletion; one that nothing was made for is gone at once. */
import { removeRecord } from '../../records/edit-record.ts'
import type { Handler } from '../context/handler.ts'
import { hintRecord } from '../context/hints.ts'
import type { Needs } from '../context/needs.ts'
import { logicalDatabaseOf } from './scope.ts'

export const deleteLogicalDatabase =
  (needs: Needs): Handler<'logical-databases.delete'> =>
  async (call) => {
    const { logicalDatabase, confirmName } = call.params
    await removeRecord(needs.records.logicalDatabases, 'logical database', await logicalDatabaseOf(needs, logicalDatabase), confirmName)
    hintRecord(needs, 'logicalDatabase', logicalDatabase, 'deletion requested', call)
    return { ok: true }
  }
