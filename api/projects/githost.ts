/** The git host of a project: refused in words, as no project can be connected to one yet. */
import { refuse, type Problem } from '../../contract/problem.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { projectOf } from './scope.ts'

/**
 * `POST /api/projects/{p}/githost/install`: refused in words, as there is nothing yet that would build from a git host.
 */
export const githostInstall =
  (needs: Needs): Handler<'projects.githost-install'> =>
  async ({ params: { project, environment } }) => {
    await projectOf(needs, project, environment)
    throw gitHostRefusal(needs)
  }

/** `POST /api/projects/{p}/githost/disconnect`: refused in words, as no environment can be connected yet. */
export const githostDisconnect =
  (needs: Needs): Handler<'projects.githost-disconnect'> =>
  async ({ params: { project, environment } }) => {
    const { spec } = await projectOf(needs, project, environment)
    throw refuse(`the environment ${environment ?? spec.environments[0] ?? ''} is not connected to a git host`)
  }

/** `GET /api/projects/{p}/githost/repos`: refused in words while no project can be connected to a git host. */
export const githostRepos =
  (needs: Needs): Handler<'projects.githost-repos'> =>
  async ({ params }) => {
    await projectOf(needs, params.project)
    throw gitHostRefusal(needs)
  }

/** Why nothing can be done with a git host: no app of one is set up, or what would use it is not there yet. */
function gitHostRefusal({ caches }: Needs): Problem {
  const app = caches.platformConfig.list()[0]?.spec.githubAppRef
  if (app === undefined) return refuse('no git-host app is set up; save one in the platform settings first')
  return refuse('projects cannot be connected to a git host yet')
}
