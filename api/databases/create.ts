/** `POST /databases`: a draft, or a database that is deployed with its first write; with no room nothing is saved. */
import { createDatabase, newDatabaseSpec } from '../../records/databases/create-database.ts'
import { mintDeployRequest } from '../../records/edit-record.ts'
import { askedBy } from '../asked-by.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'

export const create =
  ({ writes }: Needs): Handler<'databases.create'> =>
  async (call) => {
    const { name: wanted, draft: _, deploy, ...fields } = call.params
    const request = deploy === true ? mintDeployRequest(askedBy(call), writes.now()) : undefined
    const { name } = (await createDatabase(writes, wanted, newDatabaseSpec(fields), request)).metadata
    return { ok: true, name, kind: 'databases', ...(deploy === true ? { deployed: true } : {}) }
  }
