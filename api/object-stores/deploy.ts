/** `POST /object-stores/{name}/deploy`: deploys what is saved. */
import { deployStore } from '../../records/object-stores/deploy-store.ts'
import { askedBy } from '../asked-by.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'

export const deploy =
  ({ writes }: Needs): Handler<'object-stores.deploy'> =>
  async (call) => {
    await deployStore(writes, call.params.store, askedBy(call), call.ifMatch)
    return { ok: true }
  }
