/** `POST /object-stores/{name}/deploy`: deploys what is saved. */
import { deployStore } from '../../records/object-stores/deploy-store.ts'
import { askedBy, hintRecord } from '../context/hints.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const deploy =
  (needs: Needs): Handler<'object-stores.deploy'> =>
  async (call) => {
    await deployStore(needs.writes, call.params.store, askedBy(call), call.ifMatch)
    hintRecord(needs, 'objectStore', call.params.store, 'deploy requested', call)
    return { ok: true }
  }
