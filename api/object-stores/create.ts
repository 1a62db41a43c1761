/** `POST /object-stores`: a draft of a bucket, or the object server of the cluster. */
import { createStore, newStoreSpec } from '../../records/object-stores/create-store.ts'
import { mintDeployRequest } from '../../records/edit-record.ts'
import { askedBy, hintRecord } from '../context/hints.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const create =
  (needs: Needs): Handler<'object-stores.create'> =>
  async (call) => {
    const { name: wanted, draft: _, deploy, ...fields } = call.params
    const request = mintDeployRequest(askedBy(call), needs.writes.now())
    const { metadata, spec } = await createStore(needs.writes, wanted, newStoreSpec(fields), request, deploy === true)
    hintRecord(needs, 'objectStore', metadata.name, spec.deploy.enabled ? 'created and deployed' : 'created', call)
    return { ok: true, name: metadata.name, kind: 'object-stores', ...(spec.deploy.enabled ? { deployed: true } : {}) }
  }
