/** `POST /projects/{name}/deploy`: every pending change of an environment; the dashboard's default is the first one. */
import { deployEnvironment } from '../context/deploy-environment.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { projectOf } from './scope.ts'

export const deploy =
  (needs: Needs): Handler<'projects.deploy'> =>
  async (call) => {
    const { metadata, spec } = await projectOf(needs, call.params.project, call.params.environment)
    const { environment = spec.environments[0] ?? '' } = call.params
    return { ok: true, deployed: await deployEnvironment(needs, { project: metadata.name, environment }, call) }
  }
