/** `GET /logical-databases/{name}/connection`: where it is reached; `reveal` also tells the password. */
import { connectionOf } from '../connection.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { logicalDatabaseOf } from './scope.ts'

export const connection =
  (needs: Needs): Handler<'logical-databases.connection'> =>
  async (call) =>
    connectionOf(needs, await logicalDatabaseOf(needs, call.params.logicalDatabase), 'logical-databases.connection', call)
