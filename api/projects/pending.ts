/** The pending changes of an environment. */
import { byPlace, placeKey } from '../context/caches.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { pendingOfApp, pendingOfDatabase, pendingOfStore } from '../views/pending-diff.ts'
import { projectOf } from './project-of-call.ts'

/** `GET /api/projects/{p}/pending`: in the order in which a deploy of the environment deploys them. */
export const pending =
  (needs: Needs): Handler<'projects.pending'> =>
  async ({ params }) => {
    const project = await projectOf(needs, params.project, params.environment)
    const { apps, databases, objectStores } = needs.caches
    const place = placeKey(project.metadata.name, params.environment ?? project.spec.environments[0] ?? '')
    const items = [
      ...apps.by(byPlace, place).map(pendingOfApp),
      ...databases.by(byPlace, place).map(pendingOfDatabase),
      ...objectStores.by(byPlace, place).map(pendingOfStore),
    ]
    return { items: items.filter((item) => item.pending.length > 0) }
  }
