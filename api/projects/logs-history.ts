/** `GET /projects/{name}/logs/history`: stored lines, also of pods that are gone, as far as a log store keeps them. */
import { durationSeconds } from '../../contract/log-fields.ts'
import { namespaceOf } from '../../kinds/namespaces.ts'
import { LogStoreFailed } from '../../outside/logs/log-store.ts'
import { readHistory } from '../../outside/logs/read-history.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { environmentsOf } from './log-sources.ts'
import { projectOf } from './scope.ts'

/** How far back is looked when nobody says. */
const sinceDefault = '24h'

export const logsHistory =
  (needs: Needs): Handler<'projects.logs-history'> =>
  async ({ params, signal }) => {
    const { logStore, clock, log } = needs
    const project = await projectOf(needs, params.project, params.environment)
    const environments = environmentsOf(project, params)
    if (project.spec.requiredTags.length > 0) return unavailable('log history is not kept for a project that requires node tags')
    if (logStore === undefined) return unavailable('no log history is kept: the platform has no log store')
    const since = params.since === undefined || params.since === '' ? sinceDefault : params.since
    const query = {
      namespaces: environments.map((each) => namespaceOf(project.metadata.name, each)),
      service: params.service === '' ? undefined : params.service,
      q: params.q,
      level: params.level,
      limit: params.limit,
      now: clock(),
      sinceSeconds: durationSeconds(since) ?? 0,
    }
    try {
      const { lines, truncated } = await readHistory(logStore, query, signal)
      const services = [...new Set(lines.map(({ service }) => service))].sort()
      return { available: true, lines: lines.map((line) => ({ ...line, previous: false })), services, truncated }
    } catch (error) {
      if (!(error instanceof LogStoreFailed)) throw error
      log.warn({ error: error.message, cause: String(error.cause) }, 'the history of logs could not be read')
      return unavailable(error.message)
    }
  }

const unavailable = (message: string) => ({ available: false, message, lines: [], services: [], truncated: false })
