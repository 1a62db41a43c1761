/** `POST /databases/{name}/deploy`: deploys what is saved. */
import { deployDatabase } from '../../records/databases/deploy-database.ts'
import { askedBy, hintRecord } from '../context/hints.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const deploy =
  (needs: Needs): Handler<'databases.deploy'> =>
  async (call) => {
    await deployDatabase(needs.writes, call.params.db, askedBy(call), call.ifMatch)
    hintRecord(needs, 'database', call.params.db, 'deploy requested', call)
    return { ok: true }
  }
