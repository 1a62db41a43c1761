/** `DELETE /projects/{name}`: asks for the deletion; the project's workflow removes what it holds. */
import { askProjectDeletion } from '../../records/projects/ask-deletion.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintProject } from './scope.ts'

export const settingsDelete =
  (needs: Needs): Handler<'projects.settings-delete'> =>
  async (call) => {
    const { project, confirmName } = call.params
    await askProjectDeletion(needs.writes, project, confirmName)
    // The workflow revokes them, too, should this process die here.
    await needs.tokens.revokeOfProject(project)
    hintProject(needs, project, 'deletion requested', call)
    return { ok: true }
  }
