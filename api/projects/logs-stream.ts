/** `GET /projects/{name}/logs/stream`: the same as server-sent events, then new lines, also of services made later. */
import { Problem } from '../../contract/problem.ts'
import { labels } from '../../kinds/annotations.ts'
import type { LogSource } from '../logs/log-lines.ts'
import { followLogs } from '../logs/follow-logs.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { servicesOf, sourcesOfAll } from './log-sources.ts'
import { projectOf } from './scope.ts'

export const logsStream =
  (needs: Needs): Handler<'projects.logs-stream'> =>
  async ({ params, signal }) => {
    const project = await projectOf(needs, params.project, params.environment)
    servicesOf(needs.caches, project, params) // refuses a place that is not there
    const sources = (): LogSource[] => {
      const now = needs.caches.projects.get(project.metadata.name, project.metadata.namespace)
      if (now === undefined) return []
      try {
        return sourcesOfAll(needs.caches, servicesOf(needs.caches, now, params))
      } catch (error) {
        if (error instanceof Problem) return [] // what was asked for has gone meanwhile
        throw error
      }
    }
    const concerns = ({ metadata }: LogSource['pod']): boolean => metadata.labels?.[labels.project] === project.metadata.name
    return followLogs(needs, { sources, concerns, query: params, signal })
  }
