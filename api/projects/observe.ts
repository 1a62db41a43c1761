/** Logs and metrics of a project: of the pods of all its services. */
import { durationSeconds } from '../../contract/fields/logs.ts'
import { Problem, refusals } from '../../contract/problem.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { projectQueries } from '../../kinds/metrics/queries.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { LogStoreFailed } from '../../outside/logs/log-store.ts'
import { readHistory } from '../../outside/logs/read-history.ts'
import { refuseUnknownEnvironment } from '../../records/place/project-environment.ts'
import { byProject, type Caches } from '../context/caches.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { followLogs } from '../logs/follow-logs.ts'
import { readRecent, sourcesOf, type LogSource } from '../logs/log-lines.ts'
import { readSeries } from '../views/read-series.ts'
import { projectOf } from './project-of-call.ts'

/** `GET /projects/{name}/logs`: recent lines of the services of a project, merged, oldest first. */
export const logs =
  (needs: Needs): Handler<'projects.logs'> =>
  async ({ params, signal }) => {
    const project = await projectOf(needs, params.project, params.environment)
    const apps = servicesOf(needs.caches, project, params)
    const { lines, truncated, note } = await readRecent(needs, sourcesOfAll(needs.caches, apps), params, signal)
    return { lines, services: apps.map(({ metadata }) => metadata.name), truncated, note }
  }

/** `GET /projects/{name}/logs/stream`: the same lines as server-sent events, then new ones, also of later services. */
export const logsStream =
  (needs: Needs): Handler<'projects.logs-stream'> =>
  async ({ params, signal }) => {
    const project = await projectOf(needs, params.project, params.environment)
    servicesOf(needs.caches, project, params) // refuses a place that is not there
    const { name, namespace, uid } = project.metadata
    const { projects, apps } = needs.caches
    const seen = (): readonly App[] | undefined => {
      const now = projects.get(name, namespace)
      if (now === undefined || now.metadata.uid !== uid) return undefined
      try {
        return servicesOf(needs.caches, now, params)
      } catch (error) {
        if (error instanceof Problem) return undefined // what was asked for has gone meanwhile
        throw error
      }
    }
    return followLogs(needs, {
      sources: () => sourcesOfAll(needs.caches, seen() ?? []),
      concerns: ({ metadata }) => metadata.labels?.[labels.project] === name,
      mayGoOn: () => seen() !== undefined,
      onRecordChange: (listener) => {
        const changed = (record: string) => record === name || record === params.service
        const unlisten = [projects, apps].map((cache) =>
          cache.onChange(({ object }) => {
            if (changed(object.metadata.name)) listener()
          }),
        )
        return () => unlisten.forEach((each) => each())
      },
      ...{ query: params, signal },
    })
  }

/** How far back a read without `since` goes. */
const sinceDefault = '24h'

/** `GET /projects/{name}/logs/history`: stored lines, also of deleted pods, as long as the log store keeps them. */
export const logsHistory =
  (needs: Needs): Handler<'projects.logs-history'> =>
  async ({ params, signal }) => {
    const { logStore, logStoreHint, clock, log } = needs
    const project = await projectOf(needs, params.project, params.environment)
    const environments = environmentsOf(project, params)
    if (project.spec.requiredTags.length > 0)
      return unavailable('log history is not kept for a project that requires node tags')
    if (logStore === undefined) return unavailable(`${noLogStore}${logStoreHint === '' ? '' : `; ${logStoreHint}`}`)
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

const noLogStore = 'no log history is kept: the platform has no log store'

const unavailable = (message: string) => ({ available: false, message, lines: [], services: [], truncated: false })

/** `GET /projects/{name}/metrics`: the resources that a project uses, or one environment of it. */
export const metrics =
  (needs: Needs): Handler<'projects.metrics'> =>
  async ({ params: { project: name, environment, window } }) => {
    await projectOf(needs, name, environment)
    return await readSeries(needs, window, (step) => projectQueries(name, environment, step))
  }

/** The part of a project whose logs are read. */
interface LogPlace {
  readonly environment?: string | undefined
  readonly service?: string | undefined
}

/** The requested environments: all of them when none is named. Throws when the project has none of that name. */
function environmentsOf(project: Project, { environment = '' }: LogPlace): readonly string[] {
  if (environment === '') return project.spec.environments
  refuseUnknownEnvironment(project, environment)
  return [environment]
}

/** The requested services, sorted by name. Throws 404 for a service that does not exist. */
function servicesOf(caches: Caches, project: Project, place: LogPlace): App[] {
  const environments = environmentsOf(project, place)
  const { service = '' } = place
  const found = caches.apps
    .by(byProject, project.metadata.name)
    .filter(
      ({ metadata, spec }) => environments.includes(spec.environment) && (service === '' || metadata.name === service),
    )
  if (service !== '' && found.length === 0) throw new Problem('not_found', refusals.appNotFound)
  return found
}

/** The current pods of these services. */
const sourcesOfAll = (caches: Caches, apps: readonly App[]): LogSource[] =>
  apps.flatMap((app) => sourcesOf(caches, app))
