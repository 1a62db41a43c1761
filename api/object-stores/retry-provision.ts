/** `POST /api/object-stores/{store}/retry-provision`: a failed provisioning is tried again. */
import { storeState } from '../../kinds/object-stores/in-force.ts'
import { retryRecord } from '../../records/edit-record.ts'
import type { Handler } from '../context/handler.ts'
import { hintRecord } from '../context/hints.ts'
import type { Needs } from '../context/needs.ts'

export const retryProvision =
  (needs: Needs): Handler<'object-stores.retry-provision'> =>
  async (call) => {
    await retryRecord(needs.writes.objectStores, 'bucket', call.params.store, storeState, call.ifMatch)
    hintRecord(needs, 'objectStore', call.params.store, 'retry requested', call)
    return { ok: true }
  }
