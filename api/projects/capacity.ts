/** The capacity for the pending changes of an environment (docs/reference/deployments.md#capacity). */
import type { View } from '../../contract/operations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { databaseDraft } from '../../kinds/databases/draft.ts'
import { databaseCapacity } from '../../kinds/databases/sizes.ts'
import { draftOf } from '../../kinds/provision/draft.ts'
import { capacityWanted, type AskedCapacity } from '../../records/apps/reserve-capacity.ts'
import { byPlace, placeKey } from '../context/caches.ts'
import { freeCapacity } from '../context/free-capacity.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { projectOf } from './project-of-call.ts'

type Item = View<'projects.capacity'>['items'][number]
type Pending = AskedCapacity & Pick<Item, 'kind' | 'name'>

/** `GET /api/projects/{p}/capacity`: reserves nothing. Buckets need no capacity. */
export const capacity =
  (needs: Needs): Handler<'projects.capacity'> =>
  async ({ params }) => {
    const project = await projectOf(needs, params.project, params.environment)
    const place = placeKey(project.metadata.name, params.environment ?? project.spec.environments[0] ?? '')
    const pending = [...pendingApps(needs, place), ...pendingDatabases(needs, place)]
    const foreseen = await needs.writes.capacity.foresee(pending)
    const items = pending.map(({ kind, name, wanted }, at): Item => {
      const { more = { cpuMillis: 0, memoryBytes: 0 }, ...refused } = foreseen[at] ?? {}
      return { kind, name, copies: wanted.copies, ...more, ...refused }
    })
    const free = freeCapacity(needs.caches)
    return {
      items,
      total: { cpuMillis: sum(items, 'cpuMillis'), memoryBytes: sum(items, 'memoryBytes') },
      free: free === null ? null : { cpuMillis: free.cpuFreeMillis, memoryBytes: free.memoryFreeBytes },
    }
  }

const sum = (items: readonly Item[], what: 'cpuMillis' | 'memoryBytes'): number =>
  items.reduce((total, item) => total + item[what], 0)

const pendingApps = ({ caches }: Needs, place: string): Pending[] =>
  caches.apps
    .by(byPlace, place)
    .filter((app) => viewOf(app).pendingChanges.length > 0)
    .map(({ metadata: { name }, spec }) => ({ kind: 'app', name, owner: name, wanted: capacityWanted(spec) }))

const pendingDatabases = ({ caches }: Needs, place: string): Pending[] =>
  caches.databases
    .by(byPlace, place)
    .filter((database) => draftOf(databaseDraft, database).pendingChanges.length > 0)
    .map(({ metadata: { name, uid }, spec }) => ({
      kind: 'database',
      name,
      owner: uid ?? name,
      wanted: databaseCapacity(spec),
    }))
