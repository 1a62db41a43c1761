/** `GET /logical-databases/{name}/connection`: where it is reached; `reveal` also tells the password. */
import { connectionOf } from '../views/connection.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { logicalDatabaseOf } from './scope.ts'

export const connection =
  (needs: Needs): Handler<'logical-databases.connection'> =>
  async (call) =>
    connectionOf(needs, await logicalDatabaseOf(needs, call.params.logicalDatabase), 'logical-databases.connection', call)
