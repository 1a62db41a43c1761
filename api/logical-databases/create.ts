/** `POST /logical-databases`: a database on a server that exists; it needs no deploy. */
import { createLogicalDatabase } from '../../records/logical-databases/create.ts'
import { askedBy, hintRecord } from '../context/hints.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const create =
  (needs: Needs): Handler<'logical-databases.create'> =>
  async (call) => {
    const { name } = (await createLogicalDatabase(needs.writes, call.params, askedBy(call))).metadata
    hintRecord(needs, 'logicalDatabase', name, 'created', call)
    return { ok: true, name, kind: 'logical-databases' }
  }
