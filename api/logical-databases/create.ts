/** `POST /logical-databases`: a database on a server that exists; it needs no deploy. */
import { createLogicalDatabase } from '../../records/logical-databases/create.ts'
import { askedBy } from '../asked-by.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'

export const create =
  ({ writes }: Needs): Handler<'logical-databases.create'> =>
  async (call) => {
    const { name } = (await createLogicalDatabase(writes, call.params, askedBy(call))).metadata
    return { ok: true, name, kind: 'logical-databases' }
  }
