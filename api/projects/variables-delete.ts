/** `POST /api/projects/{p}/variables/delete`: deletes a shared variable. */
import { deleteSharedVariable } from '../../records/projects/shared-variables.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const variablesDelete =
  (needs: Needs): Handler<'projects.variables-delete'> =>
  async ({ params: { project, name, environment = '' }, ifMatch }) => {
    await deleteSharedVariable(needs.writes, project, { name, environment }, ifMatch)
    return { ok: true }
  }
