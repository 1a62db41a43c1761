/** The verbs of buckets and of the object server of the cluster. */
import { canMutate } from '../../contract/caller.ts'
import type { OperationsOf } from '../../contract/operations.ts'
import { storeState } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { redactedObjectStore, redactedObjectStoreStatus } from '../../kinds/object-stores/redact.ts'
import { objectStoreSummary } from '../../kinds/object-stores/summary.ts'
import { mintDeployRequest, notFound, retryRecord } from '../../records/store/edit-record.ts'
import { askStoreDeletion } from '../../records/object-stores/ask-deletion.ts'
import { createStore, newStoreSpec } from '../../records/object-stores/create-store.ts'
import { deployStore } from '../../records/object-stores/deploy-store.ts'
import { saveStoreSettings } from '../../records/object-stores/save-settings.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import { askedBy, wakeRecord } from '../context/wakes.ts'
import type { Needs } from '../context/needs.ts'
import { withVersion } from '../views/record-version.ts'
import { createSummaryList } from '../views/summary-list.ts'

export const objectStoreHandlers = (needs: Needs) =>
  ({
    'object-stores.list': list(needs),
    'object-stores.create': create(needs),
    'object-stores.get': get(needs),
    'object-stores.update': update(needs),
    'object-stores.delete': deleteStore(needs),
    'object-stores.deploy': deploy(needs),
    'object-stores.retry-provision': retryProvision(needs),
  }) satisfies HandlerTable<OperationsOf<'object-stores'>>

/** `GET /object-stores`: buckets and the object server from the cache. */
const list = ({ caches }: Needs): Handler<'object-stores.list'> =>
  createSummaryList(caches.objectStores, objectStoreSummary)

/** `POST /object-stores`: a draft of a bucket, or the object server of the cluster. */
const create =
  (needs: Needs): Handler<'object-stores.create'> =>
  async (call) => {
    const { name: wanted, draft: _, deploy, ...fields } = call.params
    const request = mintDeployRequest(askedBy(call), needs.writes.now())
    const { metadata, spec } = await createStore(needs.writes, wanted, newStoreSpec(fields), request, deploy === true)
    wakeRecord(needs, 'objectStore', metadata.name, spec.deploy.enabled ? 'created and deployed' : 'created', call)
    return { ok: true, name: metadata.name, kind: 'object-stores', ...(spec.deploy.enabled ? { deployed: true } : {}) }
  }

/** `GET /object-stores/{name}`: the whole store; what a caller who cannot change things may not see is blank. */
const get =
  (needs: Needs): Handler<'object-stores.get'> =>
  async ({ params, caller }) => {
    const store = await storeOf(needs, params.store)
    const full = canMutate(caller)
    const view = {
      resource: objectStoreSummary(store, full),
      spec: { ...(full ? store.spec : redactedObjectStore(store.spec)) },
      status: { ...(full ? store.status : redactedObjectStoreStatus(store.status)) },
    }
    return withVersion(view, store)
  }

/** `PATCH /object-stores/{name}`: settings of a bucket wait for its deploy. */
const update =
  (needs: Needs): Handler<'object-stores.update'> =>
  async (call) => {
    const { store, ...settings } = call.params
    await saveStoreSettings(needs.writes, store, settings, call.ifMatch)
    wakeRecord(needs, 'objectStore', store, 'settings changed', call)
    return { ok: true }
  }

/** `DELETE /object-stores/{name}`: asks for the deletion; a store that nothing was made for is gone at once. */
const deleteStore =
  (needs: Needs): Handler<'object-stores.delete'> =>
  async (call) => {
    const { store, confirmName, abandon = false } = call.params
    if (abandon) call.respond.audit({ abandon: 'on' })
    const stays = await askStoreDeletion(needs.writes, await storeOf(needs, store), confirmName, abandon)
    wakeRecord(needs, 'objectStore', store, 'deletion requested', call)
    return abandon ? { ok: true, stays } : { ok: true }
  }

/** `POST /object-stores/{name}/deploy`: deploys what is saved. */
const deploy =
  (needs: Needs): Handler<'object-stores.deploy'> =>
  async (call) => {
    await deployStore(needs.writes, call.params.store, askedBy(call), call.ifMatch)
    wakeRecord(needs, 'objectStore', call.params.store, 'deploy requested', call)
    return { ok: true }
  }

/** `POST /api/object-stores/{store}/retry-provision`: a failed provisioning is tried again. */
const retryProvision =
  (needs: Needs): Handler<'object-stores.retry-provision'> =>
  async (call) => {
    await retryRecord(needs.writes.objectStores, 'bucket', call.params.store, storeState, call.ifMatch)
    wakeRecord(needs, 'objectStore', call.params.store, 'retry requested', call)
    return { ok: true }
  }

/** Which store a call is about. */
async function storeOf({ records }: Needs, name: string): Promise<ObjectStore> {
  const store = await records.objectStores.read(name)
  if (store === undefined) throw notFound('bucket')
  return store
}
