/** `GET /logical-databases/{name}`: what a caller who cannot change things may not see is blank. */
import { canMutate } from '../../contract/caller.ts'
import { redactedLogicalDatabase, redactedLogicalDatabaseStatus } from '../../kinds/logical-databases/redact.ts'
import { logicalDatabaseSummary } from '../../kinds/logical-databases/summary.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { logicalDatabaseOf } from './scope.ts'

export const get =
  (needs: Needs): Handler<'logical-databases.get'> =>
  async ({ params, caller }) => {
    const database = await logicalDatabaseOf(needs, params.logicalDatabase)
    const full = canMutate(caller)
    return {
      resource: logicalDatabaseSummary(database, full),
      spec: { ...(full ? database.spec : redactedLogicalDatabase(database.spec)) },
      status: { ...(full ? database.status : redactedLogicalDatabaseStatus(database.status)) },
    }
  }
