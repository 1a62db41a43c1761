/** Which services of an environment are connected to which resources (docs/reference/projects.md#connections). */
import type { View } from '../../contract/operations.ts'
import { connectionsAmong } from '../../kinds/apps/connections.ts'
import { byPlace, placeKey } from '../context/caches.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { projectOf } from './project-of-call.ts'

type Kind = View<'projects.connections'>['items'][number]['kind']

/** `GET /api/projects/{p}/connections`: services in the order of the caches. */
export const connections =
  (needs: Needs): Handler<'projects.connections'> =>
  async ({ params }) => {
    const project = await projectOf(needs, params.project, params.environment)
    const { apps, databases, logicalDatabases, objectStores } = needs.caches
    const place = placeKey(project.metadata.name, params.environment ?? project.spec.environments[0] ?? '')
    const kinds = new Map<string, Kind>()
    for (const [kind, cache] of [
      ['app', apps],
      ['database', databases],
      ['logical-database', logicalDatabases],
      ['object-store', objectStores],
    ] as const)
      for (const { metadata } of cache.by(byPlace, place)) kinds.set(metadata.name, kind)
    const connectionsOf = connectionsAmong(kinds)
    const items = apps
      .by(byPlace, place)
      .flatMap((app) => connectionsOf(app).map((each) => ({ app: app.metadata.name, ...each })))
    return { items: items.map(({ variables, ...rest }) => ({ ...rest, variables: [...variables] })) }
  }
