/** The handlers of API tokens, and of what a token reads and does in its own environment. */
import { actorOf } from '../../contract/caller.ts'
import type { OperationsOf } from '../../contract/operations.ts'
import { Problem, refusals, refuse } from '../../contract/problem.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { pendingChangesOf } from '../../kinds/provision/draft.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { appState } from '../../kinds/apps/state.ts'
import { sourceWord } from '../../kinds/apps/summary.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { readWithEnvironment } from '../../records/place/project-environment.ts'
import { byPlace, placeKey } from '../context/caches.ts'
import { deployEnvironment } from '../context/deploy-environment.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const tokenHandlers = (needs: Needs) =>
  ({
    'tokens.list': list(needs),
    'tokens.create': create(needs),
    'tokens.revoke': revoke(needs),
    'tokens.self': self(needs),
    'tokens.services': services(needs),
    'tokens.deploy': deploy(needs),
  }) satisfies HandlerTable<OperationsOf<'tokens'>>

/** `GET /tokens`: every API token, newest first, without its text. */
const list =
  ({ tokens }: Needs): Handler<'tokens.list'> =>
  async ({ params: { project } }) => ({ items: tokens.list(project) })

/** `POST /tokens`: the only answer with the text of the token. */
const create =
  ({ tokens, records }: Needs): Handler<'tokens.create'> =>
  async ({ params, caller }) => {
    const { name, expiresInDays, scope } = params
    const common = { name: name.trim(), createdBy: actorOf(caller), expiresInDays }
    if (scope === 'workspace') {
      return { ok: true, ...(await tokens.create({ ...common, scope, role: params.role ?? 'viewer' })) }
    }
    // The schema requires both for this scope.
    const { project = '', environment = '' } = params
    refuseNoPlace(await readWithEnvironment(records.projects, project, environment), environment)
    const made = await tokens.create({ ...common, scope, project, environment })
    try {
      // Who removes the environment revokes its tokens after that write, and this looks for the environment after its
      // own: at least one of the two sees the other.
      refuseNoPlace(await records.projects.readLive(project), environment)
    } catch (refusal) {
      await tokens.revoke(made.item.id)
      throw refusal
    }
    return { ok: true, ...made }
  }

/** Throws Problem invalid_request. */
function refuseNoPlace(project: Project | undefined, environment: string): void {
  if (project === undefined || project.metadata.deletionTimestamp !== undefined) throw refuse('project was not found')
  if (!project.spec.environments.includes(environment)) throw refuse('the project has no such environment')
}

/** `DELETE /tokens/{id}`: effective with the next request, on every replica. */
const revoke =
  ({ tokens }: Needs): Handler<'tokens.revoke'> =>
  async ({ params: { id } }) => {
    if (!(await tokens.revoke(id))) throw new Problem('not_found', refusals.tokenNotFound)
    return { ok: true }
  }

/** `GET /api/token`: the record of the calling token. */
const self =
  ({ tokens }: Needs): Handler<'tokens.self'> =>
  async ({ caller }) => {
    const found = await tokens.read(caller.tokenId ?? '')
    if (found === undefined) throw new Problem('unauthenticated', refusals.invalidToken)
    return found
  }

/** `GET /token/services`: the services of a token's environment; workspace tokens may name any environment. */
const services =
  ({ caches }: Needs): Handler<'tokens.services'> =>
  async ({ params, caller }) => {
    const project = caller.project ?? params.project ?? ''
    const environment = caller.environment ?? params.environment ?? ''
    const found =
      project !== '' && environment !== ''
        ? caches.apps.by(byPlace, placeKey(project, environment))
        : caches.apps
            .list()
            .filter(({ spec }) => matches(spec.project, project) && matches(spec.environment, environment))
    return { project, environment, services: found.map(serviceItem) }
  }

const matches = (value: string, wanted: string): boolean => wanted === '' || value === wanted

function serviceItem(app: App) {
  return {
    id: app.metadata.name,
    name: app.metadata.annotations?.[annotations.displayName] ?? app.metadata.name,
    kind: 'app',
    source: sourceWord(app.spec),
    ready: appState(app).state === 'ready',
    pendingChanges: pendingChangesOf(app).length,
  }
}

/** `POST /token/deploy`: deploys all pending changes in the environment of the calling project token. */
const deploy =
  (needs: Needs): Handler<'tokens.deploy'> =>
  async (call) => {
    const { project = '', environment = '' } = call.caller
    return { ok: true, deployed: await deployEnvironment(needs, { project, environment }, call) }
  }
