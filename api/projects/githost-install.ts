/** `POST /api/projects/{p}/githost/install`: refused in words, as there is nothing yet that would build from a git host. */
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { projectOf } from './scope.ts'
import { refuseEnvironment, gitHostRefusal } from './githost-refusals.ts'

export const githostInstall =
  (needs: Needs): Handler<'projects.githost-install'> =>
  async ({ params: { project, environment } }) => {
    refuseEnvironment(await projectOf(needs, project), environment)
    throw gitHostRefusal(needs)
  }
