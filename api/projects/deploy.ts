/** `POST /projects/{name}/deploy`: every pending change of an environment; the dashboard's default is the first one. */
import { refuse } from '../../contract/problem.ts'
import { deployEnvironment } from '../deploy-environment.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { projectOf } from './scope.ts'

export const deploy =
  (needs: Needs): Handler<'projects.deploy'> =>
  async (call) => {
    const { metadata, spec } = await projectOf(needs, call.params.project)
    const { environment = spec.environments[0] ?? '' } = call.params
    if (!spec.environments.includes(environment)) throw refuse(`the project has no environment ${environment}`)
    return { ok: true, deployed: await deployEnvironment(needs, { project: metadata.name, environment }, call) }
  }
