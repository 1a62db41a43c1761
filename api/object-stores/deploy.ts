/** `POST /object-stores/{name}/deploy`: deploys what is saved. */
import { deployStore } from '../../records/object-stores/deploy-store.ts'
import { askedBy } from '../asked-by.ts'
import type { Handler } from '../handler.ts'
import { hintRecord } from '../hint-record.ts'
import type { Needs } from '../needs.ts'

export const deploy =
  (needs: Needs): Handler<'object-stores.deploy'> =>
  async (call) => {
    await deployStore(needs.writes, call.params.store, askedBy(call), call.ifMatch)
    hintRecord(needs, 'objectStore', call.params.store, 'deploy requested', call)
    return { ok: true }
  }
