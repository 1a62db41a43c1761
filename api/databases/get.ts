/** `GET /databases/{name}`: the whole database; what a caller who cannot change things may not see is blank. */
import { canMutate } from '../../contract/caller.ts'
import { redactedDatabase, redactedDatabaseStatus } from '../../kinds/databases/redact.ts'
import { databaseSummary } from '../../kinds/databases/summary.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { databaseOf } from './scope.ts'

export const get =
  (needs: Needs): Handler<'databases.get'> =>
  async ({ params, caller }) => {
    const database = await databaseOf(needs, params.db)
    const full = canMutate(caller)
    return {
      resource: databaseSummary(database, full),
      spec: { ...(full ? database.spec : redactedDatabase(database.spec)) },
      status: { ...(full ? database.status : redactedDatabaseStatus(database.status)) },
    }
  }
