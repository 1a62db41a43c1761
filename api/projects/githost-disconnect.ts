/** `POST /api/projects/{p}/githost/disconnect`: refused in words, as no environment can be connected yet. */
import { refuse } from '../../contract/problem.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { projectOf } from './scope.ts'

export const githostDisconnect =
  (needs: Needs): Handler<'projects.githost-disconnect'> =>
  async ({ params: { project, environment } }) => {
    const { spec } = await projectOf(needs, project, environment)
    throw refuse(`the environment ${environment ?? spec.environments[0] ?? ''} is not connected to a git host`)
  }
