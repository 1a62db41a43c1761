/** `POST /databases/{name}/deploy`: deploys what is saved. */
import { deployDatabase } from '../../records/databases/deploy-database.ts'
import { askedBy } from '../asked-by.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'

export const deploy =
  ({ writes }: Needs): Handler<'databases.deploy'> =>
  async (call) => {
    await deployDatabase(writes, call.params.db, askedBy(call), call.ifMatch)
    return { ok: true }
  }
