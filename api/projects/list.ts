/** `GET /projects`: out of memory; the same answer is not made twice while nothing changed. */
import type { View } from '../../contract/operations.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { projectSummary } from '../../kinds/projects/summary.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { memoizedBody } from '../views/memoized-body.ts'

export const list = ({ caches }: Needs): Handler<'projects.list'> => {
  const views = new WeakMap<readonly Project[], View<'projects.list'>>()
  return async () => {
    const projects = caches.projects.list()
    const view = views.get(projects) ?? memoizedBody({ items: projects.map(projectSummary) })
    views.set(projects, view)
    return view
  }
}
