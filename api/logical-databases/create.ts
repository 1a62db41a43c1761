/** `POST /logical-databases`: a database on a server that exists; it needs no deploy. */
import { createLogicalDatabase } from '../../records/logical-databases/create.ts'
import { askedBy } from '../asked-by.ts'
import type { Handler } from '../handler.ts'
import { hintRecord } from '../hint-record.ts'
import type { Needs } from '../needs.ts'

export const create =
  (needs: Needs): Handler<'logical-databases.create'> =>
  async (call) => {
    const { name } = (await createLogicalDatabase(needs.writes, call.params, askedBy(call))).metadata
    hintRecord(needs, 'logicalDatabase', name, 'created', call)
    return { ok: true, name, kind: 'logical-databases' }
  }
