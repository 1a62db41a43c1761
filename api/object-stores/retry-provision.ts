/** `POST /api/object-stores/{store}/retry-provision`: a failed provisioning is tried again. */
import { storeState } from '../../kinds/object-stores/in-force.ts'
import { retryRecord } from '../../records/edit-record.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'

export const retryProvision =
  ({ writes }: Needs): Handler<'object-stores.retry-provision'> =>
  async ({ params, ifMatch }) => {
    await retryRecord(writes.objectStores, 'bucket', params.store, storeState, ifMatch)
    return { ok: true }
  }
