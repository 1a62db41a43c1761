/** `POST /api/logical-databases/{logicalDatabase}/retry-provision`: a failed creation is tried again. */
import { logicalDatabaseState } from '../../kinds/logical-databases/in-force.ts'
import { retryRecord } from '../../records/edit-record.ts'
import type { Handler } from '../context/handler.ts'
import { hintRecord } from '../context/hints.ts'
import type { Needs } from '../context/needs.ts'

export const retryProvision =
  (needs: Needs): Handler<'logical-databases.retry-provision'> =>
  async (call) => {
    const { logicalDatabase } = call.params
    await retryRecord(needs.writes.logicalDatabases, 'logical database', logicalDatabase, logicalDatabaseState, call.ifMatch)
    hintRecord(needs, 'logicalDatabase', logicalDatabase, 'retry requested', call)
    return { ok: true }
  }
