/** `GET /apps`: services out of memory; the same answer is not made twice while nothing changed. */
import { canMutate } from '../../contract/caller.ts'
import type { Caller } from '../../contract/caller.ts'
import type { View } from '../../contract/operations.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { appSummary } from '../../kinds/apps/summary.ts'
import { byPlace, byProject, placeKey } from '../caches.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { remembered } from '../remembered.ts'

type List = View<'apps.list'>
type Summary = List['items'][number]

export const list = ({ caches }: Needs): Handler<'apps.list'> => {
  const shownIn = { full: createView(true), redacted: createView(false) }
  return async ({ params, caller }) => shownIn[canMutate(caller) ? 'full' : 'redacted'](selected(caches, params, caller))
}

type Query = { project?: string | undefined; environment?: string | undefined }

/** The cache hands out the same array while nothing in it changes; only a search by environment alone makes a new one. */
function selected({ apps }: Needs['caches'], query: Query, caller: Caller): readonly App[] {
  const { project = '', environment = '' } = caller.role === 'project' ? caller : query
  if (project !== '' && environment !== '') return apps.by(byPlace, placeKey(project, environment))
  if (project !== '') return apps.by(byProject, project)
  return environment === '' ? apps.list() : apps.list().filter(({ spec }) => spec.environment === environment)
}

/** A changed service costs its own summary and the text of the list, not the summaries of all. */
function createView(full: boolean): (apps: readonly App[]) => List {
  const views = new WeakMap<readonly App[], List>()
  const summaries = new WeakMap<App, Summary>()
  const summaryOf = (app: App): Summary => {
    const known = summaries.get(app) ?? appSummary(app, full)
    summaries.set(app, known)
    return known
  }
  return (apps) => {
    const view = views.get(apps) ?? remembered({ items: apps.map(summaryOf) })
    views.set(apps, view)
    return view
  }
}
