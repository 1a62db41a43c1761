/** `POST /api/projects/{p}/pr-environments/save`: how environments for pull requests are to be made. */
import { savePullRequests } from '../../records/projects/pull-requests.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const prEnvironmentsSave =
  (needs: Needs): Handler<'projects.pr-environments-save'> =>
  async ({ params: { project, ...settings }, ifMatch }) => {
    await savePullRequests(needs.writes, project, settings, ifMatch)
    return { ok: true }
  }
