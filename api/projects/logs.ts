/** `GET /projects/{name}/logs`: recent lines of the services of a project, merged, oldest first. */
import type { Handler } from '../context/handler.ts'
import { readRecent } from '../logs/log-lines.ts'
import type { Needs } from '../context/needs.ts'
import { servicesOf, sourcesOfAll } from './log-sources.ts'
import { projectOf } from './scope.ts'

export const logs =
  (needs: Needs): Handler<'projects.logs'> =>
  async ({ params, signal }) => {
    const project = await projectOf(needs, params.project, params.environment)
    const apps = servicesOf(needs.caches, project, params)
    const { lines, truncated, note } = await readRecent(needs, sourcesOfAll(needs.caches, apps), params, signal)
    return { lines, services: apps.map(({ metadata }) => metadata.name), truncated, note }
  }
