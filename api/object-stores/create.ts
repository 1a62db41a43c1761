/** `POST /object-stores`: a draft of a bucket, or the object server of the cluster. */
import { createStore, newStoreSpec } from '../../records/object-stores/create-store.ts'
import { mintDeployRequest } from '../../records/edit-record.ts'
import { askedBy } from '../asked-by.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'

export const create =
  ({ writes }: Needs): Handler<'object-stores.create'> =>
  async (call) => {
    const { name: wanted, draft: _, deploy, ...fields } = call.params
    const request = mintDeployRequest(askedBy(call), writes.now())
    const { metadata, spec } = await createStore(writes, wanted, newStoreSpec(fields), request, deploy === true)
    return { ok: true, name: metadata.name, kind: 'object-stores', ...(spec.deploy.enabled ? { deployed: true } : {}) }
  }
