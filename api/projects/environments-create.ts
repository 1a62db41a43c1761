/** `POST /projects/{name}/environments`: adds an environment. */
import { createEnvironment } from '../../records/projects/save-settings.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintProject } from './scope.ts'

export const environmentsCreate =
  (needs: Needs): Handler<'projects.environments-create'> =>
  async (call) => {
    const { project, environment } = call.params
    await createEnvironment(needs.writes, project, environment, call.ifMatch)
    hintProject(needs, project, `environment ${environment} added`, call)
    return { ok: true }
  }
