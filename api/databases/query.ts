/** `POST /api/databases/{db}/query`: refused, since nothing here runs queries yet. */
import { refuse } from '../../contract/problem.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { databaseOf } from './scope.ts'

export const query =
  (needs: Needs): Handler<'databases.query'> =>
  async ({ params }) => {
    await databaseOf(needs, params.db)
    throw refuse('running queries is not available on this server yet')
  }
