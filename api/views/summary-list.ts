/** Lists of summaries from a cache: the same view while nothing changed, so that its text is made once. */
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { canMutate, type Caller } from '../../contract/caller.ts'
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { byPlace, byProject, placeKey } from '../context/caches.ts'
import { memoizedBody } from './memoized-body.ts'

type Placed = KubeObject & { spec: { environment?: string | undefined } }
type Query = { project?: string | undefined; environment?: string | undefined }
type List = { items: ResourceSummary[] }

/** `summarise` gets whether the caller may change the records; a project token sees its own environment only. */
export function createSummaryList<T extends Placed>(
  cache: ResourceCache<T>,
  summarise: (record: T, full: boolean) => ResourceSummary,
) {
  const shownIn = {
    full: createView<T>((record) => summarise(record, true)),
    redacted: createView<T>((record) => summarise(record, false)),
  }
  return async ({ params, caller }: { params: Query; caller: Caller }): Promise<List> =>
    shownIn[canMutate(caller) ? 'full' : 'redacted'](selected(cache, caller.role === 'project' ? caller : params))
}

/** The cache returns the same array while nothing in it changes; only a search by environment alone makes a new one. */
function selected<T extends Placed>(cache: ResourceCache<T>, { project = '', environment = '' }: Query): readonly T[] {
  if (project !== '' && environment !== '') return cache.by(byPlace, placeKey(project, environment))
  if (project !== '') return cache.by(byProject, project)
  return environment === '' ? cache.list() : cache.list().filter(({ spec }) => spec.environment === environment)
}

/** A changed record costs its own summary and the text of the list, not all summaries. */
function createView<T extends Placed>(summarise: (record: T) => ResourceSummary): (records: readonly T[]) => List {
  const views = new WeakMap<readonly T[], List>()
  const summaries = new WeakMap<T, ResourceSummary>()
  const summaryOf = (record: T): ResourceSummary => {
    const known = summaries.get(record) ?? summarise(record)
    summaries.set(record, known)
    return known
  }
  return (records) => {
    const view = views.get(records) ?? memoizedBody({ items: records.map(summaryOf) })
    views.set(records, view)
    return view
  }
}
