/** `POST /api/projects/{p}/pr-environments/close`: deletes what was made for a pull request. */
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { projectOf } from './scope.ts'

/** Nothing makes such environments yet, so none was deleted, and that is what the answer says. */
export const prEnvironmentsClose =
  (needs: Needs): Handler<'projects.pr-environments-close'> =>
  async ({ params }) => {
    await projectOf(needs, params.project)
    return { ok: true, deleted: 0 }
  }
