/** `POST /projects/{name}/network`: who may reach the services of a project. */
import { saveNetwork } from '../../records/projects/network.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintProject } from './scope.ts'

export const network =
  (needs: Needs): Handler<'projects.network'> =>
  async (call) => {
    const { project, ...wanted } = call.params
    await saveNetwork(needs.writes, project, wanted, call.ifMatch)
    hintProject(needs, project, 'network changed', call)
    return { ok: true }
  }
