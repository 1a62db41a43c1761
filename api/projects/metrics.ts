/** `GET /projects/{name}/metrics`: what a project uses, or one environment of it. */
import { projectQueries } from '../../kinds/metrics/queries.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { readSeries } from '../views/read-series.ts'
import { projectOf } from './scope.ts'

export const metrics =
  (needs: Needs): Handler<'projects.metrics'> =>
  async ({ params: { project: name, environment, window } }) => {
    await projectOf(needs, name, environment)
    return await readSeries(needs, window, (step) => projectQueries(name, environment, step))
  }
