/** `GET /object-stores/{name}`: the whole store; what a caller who cannot change things may not see is blank. */
import { canMutate } from '../../contract/caller.ts'
import { redactedObjectStore, redactedObjectStoreStatus } from '../../kinds/object-stores/redact.ts'
import { objectStoreSummary } from '../../kinds/object-stores/summary.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { storeOf } from './scope.ts'

export const get =
  (needs: Needs): Handler<'object-stores.get'> =>
  async ({ params, caller }) => {
    const store = await storeOf(needs, params.store)
    const full = canMutate(caller)
    return {
      resource: objectStoreSummary(store, full),
      spec: { ...(full ? store.spec : redactedObjectStore(store.spec)) },
      status: { ...(full ? store.status : redactedObjectStoreStatus(store.status)) },
    }
  }
