/**
 * The place of a service, an environment of a project, and what must hold before the service moves to another
 * (docs/reference/services.md#moving-a-service).
 */
import { refuse } from '../../../contract/problem.ts'
import { namespaceOf, placeLabels } from '../../meta/namespaces.ts'
import type { App, AppSpec } from '../kind.ts'

type Place = Pick<AppSpec, 'project' | 'environment'>

/** The namespace of the environment: the service runs there. */
export function targetNamespace({ project, environment }: Place): string {
  return namespaceOf(project, environment)
}

export function isSamePlace(one: Place, other: Place): boolean {
  return one.project === other.project && one.environment === other.environment
}

/** The labels of the record, with the project and environment of `place`. */
export function withPlaceLabels(app: App, place: Place): Record<string, string> {
  return { ...app.metadata.labels, ...placeLabels(place) }
}

/**
 * Throws Problem invalid_request for a service that would not work in another environment: Secrets that it refers to
 * are not moved, and a deployed service moves only by a deploy.
 */
export function refuseMove(app: App, { deploy }: { deploy: boolean }): void {
  const { spec } = app
  if (spec.deploy.enabled && !deploy)
    throw refuse('a service that runs is moved by a deploy: send deploy=on along with project and environment')
  const [reference] = spec.env.filter((entry) => entry.valueFrom !== undefined)
  if (reference !== undefined)
    throw refuse(`${reference.name} refers to a secret of this environment; delete it before you move the service`)
  if (spec.envFrom.length > 0 || spec.source.image?.pullSecret !== undefined)
    throw refuse('the service takes secrets or settings of this environment; it cannot be moved with them')
  if (app.status?.volume !== undefined || (spec.deploy.enabled && spec.volume !== undefined))
    throw refuse('the service has a volume, which stays in its environment; make a new service there and move the data')
}
