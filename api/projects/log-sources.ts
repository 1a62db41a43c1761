/** Which pods a log read of a project is about. */
import { Problem, refusals } from '../../contract/problem.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { refuseUnknownEnvironment } from '../../records/project-environment.ts'
import { byProject } from '../context/caches.ts'
import type { Caches } from '../context/caches.ts'
import type { LogSource } from '../logs/log-lines.ts'
import { sourcesOf } from '../logs/pods-of.ts'

export interface LogPlace {
  readonly environment?: string | undefined
  readonly service?: string | undefined
}

/** The environments asked for: all of them when none is named. Throws when the project has none of that name. */
export function environmentsOf(project: Project, { environment = '' }: LogPlace): readonly string[] {
  if (environment === '') return project.spec.environments
  refuseUnknownEnvironment(project, environment)
  return [environment]
}

/** The services asked for, sorted by name. Throws 404 for a service that is not there. */
export function servicesOf(caches: Caches, project: Project, place: LogPlace): App[] {
  const environments = environmentsOf(project, place)
  const { service = '' } = place
  const found = caches.apps
    .by(byProject, project.metadata.name)
    .filter(({ metadata, spec }) => environments.includes(spec.environment) && (service === '' || metadata.name === service))
  if (service !== '' && found.length === 0) throw new Problem('not_found', refusals.appNotFound)
  return found
}

/** The pods of these services right now. */
export const sourcesOfAll = (caches: Caches, apps: readonly App[]): LogSource[] => apps.flatMap((app) => sourcesOf(caches, app))
