/** `POST /api/databases/{db}/retry-provision`: a failed provisioning is tried again. */
import { databaseState } from '../../kinds/databases/in-force.ts'
import { retryRecord } from '../../records/edit-record.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'

export const retryProvision =
  ({ writes }: Needs): Handler<'databases.retry-provision'> =>
  async ({ params, ifMatch }) => {
    await retryRecord(writes.databases, 'database', params.db, databaseState, ifMatch)
    return { ok: true }
  }
