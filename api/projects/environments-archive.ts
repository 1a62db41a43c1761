/** `POST /api/projects/{p}/environments/archive`: takes an environment out; the project's workflow deletes its contents. */
import { archiveEnvironment } from '../../records/projects/save-settings.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintProject, projectOf } from './scope.ts'

export const environmentsArchive =
  (needs: Needs): Handler<'projects.environments-archive'> =>
  async (call) => {
    const { project, environment, confirmName } = call.params
    await projectOf(needs, project)
    const deleted = await archiveEnvironment(needs.writes, project, environment, confirmName, call.ifMatch)
    // The workflow revokes them, too, should this process die here.
    await needs.tokens.revokeOfProject(project, environment)
    hintProject(needs, project, `environment ${environment} archived`, call)
    return { ok: true, deleted }
  }
