/** `GET /databases/{name}/metrics`: what the copies of a database use, and the bytes on their volumes. */
import { databaseQueries } from '../../kinds/metrics/queries.ts'
import { homeOf } from '../../kinds/namespaces.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { readSeries } from '../views/read-series.ts'
import { databaseOf } from './scope.ts'

export const metrics =
  (needs: Needs): Handler<'databases.metrics'> =>
  async ({ params }) => {
    const { metadata, spec } = await databaseOf(needs, params.db)
    return await readSeries(needs, params.window, (step) => databaseQueries(homeOf(spec), metadata.name, step))
  }
