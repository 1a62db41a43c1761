/** `POST /databases`: a draft, or a database that is deployed with its first write; with no room nothing is saved. */
import { createDatabase, newDatabaseSpec } from '../../records/databases/create-database.ts'
import { mintDeployRequest } from '../../records/edit-record.ts'
import { askedBy, hintRecord } from '../context/hints.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const create =
  (needs: Needs): Handler<'databases.create'> =>
  async (call) => {
    const { writes } = needs
    const { name: wanted, draft: _, deploy, ...fields } = call.params
    const request = deploy === true ? mintDeployRequest(askedBy(call), writes.now()) : undefined
    const { name } = (await createDatabase(writes, wanted, newDatabaseSpec(fields), request)).metadata
    if (deploy === true) hintRecord(needs, 'database', name, 'created and deployed', call)
    return { ok: true, name, kind: 'databases', ...(deploy === true ? { deployed: true } : {}) }
  }
