/** `POST /projects/{name}/variables/save`: creates or updates a shared variable; services see it with their next deploy. */
import { saveSharedVariable } from '../../records/projects/shared-variables.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const variablesSave =
  (needs: Needs): Handler<'projects.variables-save'> =>
  async ({ params: { project, name, environment = '', value, secret }, ifMatch }) => {
    await saveSharedVariable(needs.writes, project, { name, environment, value, secret }, ifMatch)
    return { ok: true }
  }
