/** `GET /projects/{name}`: the project without the values of its variables for callers who cannot change things. */
import { canMutate } from '../../contract/caller.ts'
import { redactedProject } from '../../kinds/projects/redact.ts'
import { projectSummary } from '../../kinds/projects/summary.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { projectOf } from './scope.ts'

export const get =
  (needs: Needs): Handler<'projects.get'> =>
  async ({ params, caller }) => {
    const project = await projectOf(needs, params.project)
    const spec = canMutate(caller) ? project.spec : redactedProject(project.spec)
    return { resource: projectSummary(project), spec: { ...spec }, status: { ...project.status } }
  }
