/** `GET /api/projects/{p}/githost/repos`: refused in words while no project can be connected to a git host. */
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { gitHostRefusal } from './githost-refusals.ts'
import { projectOf } from './scope.ts'

export const githostRepos =
  (needs: Needs): Handler<'projects.githost-repos'> =>
  async ({ params }) => {
    await projectOf(needs, params.project)
    throw gitHostRefusal(needs)
  }
