/** `GET /databases/{name}/connection`: where the database is reached; `reveal` also tells the password. */
import { connectionOf } from '../views/connection.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { databaseOf } from './scope.ts'

export const connection =
  (needs: Needs): Handler<'databases.connection'> =>
  async (call) =>
    connectionOf(needs, await databaseOf(needs, call.params.db), 'databases.connection', call)
