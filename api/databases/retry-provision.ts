/** `POST /api/databases/{db}/retry-provision`: a failed provisioning is tried again. */
import { databaseState } from '../../kinds/databases/in-force.ts'
import { retryRecord } from '../../records/edit-record.ts'
import type { Handler } from '../context/handler.ts'
import { hintRecord } from '../context/hints.ts'
import type { Needs } from '../context/needs.ts'

export const retryProvision =
  (needs: Needs): Handler<'databases.retry-provision'> =>
  async (call) => {
    await retryRecord(needs.writes.databases, 'database', call.params.db, databaseState, call.ifMatch)
    hintRecord(needs, 'database', call.params.db, 'retry requested', call)
    return { ok: true }
  }
