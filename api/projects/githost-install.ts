/** `POST /api/projects/{p}/githost/install`: refused in words, as there is nothing yet that would build from a git host. */
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { projectOf } from './scope.ts'
import { gitHostRefusal } from './githost-refusals.ts'

export const githostInstall =
  (needs: Needs): Handler<'projects.githost-install'> =>
  async ({ params: { project, environment } }) => {
    await projectOf(needs, project, environment)
    throw gitHostRefusal(needs)
  }
