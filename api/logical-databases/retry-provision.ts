/** `POST /api/logical-databases/{logicalDatabase}/retry-provision`: a failed creation is tried again. */
import { logicalDatabaseState } from '../../kinds/logical-databases/in-force.ts'
import { retryRecord } from '../../records/edit-record.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'

export const retryProvision =
  ({ writes }: Needs): Handler<'logical-databases.retry-provision'> =>
  async ({ params, ifMatch }) => {
    await retryRecord(writes.logicalDatabases, 'logical database', params.logicalDatabase, logicalDatabaseState, ifMatch)
    return { ok: true }
  }
