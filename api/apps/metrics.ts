/** `GET /apps/{name}/metrics`: what the copies of a service use, and the requests they get. */
import { serviceQueries } from '../../kinds/metrics/queries.ts'
import { namespaceOf } from '../../kinds/namespaces.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { readSeries } from '../views/read-series.ts'
import { appOf } from './scope.ts'

export const metrics =
  (needs: Needs): Handler<'apps.metrics'> =>
  async (call) => {
    const { metadata, spec } = await appOf(needs, call)
    return await readSeries(needs, call.params.window, (step) => serviceQueries(namespaceOf(spec.project, spec.environment), metadata.name, step))
  }
