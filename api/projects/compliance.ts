/** `GET /projects/{name}/compliance`: the required tags and how far databases and nodes keep them. */
import { complianceOf } from '../../kinds/projects/compliance.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { byProject } from '../context/caches.ts'
import { projectOf } from './scope.ts'

export const compliance =
  (needs: Needs): Handler<'projects.compliance'> =>
  async ({ params }) => {
    const project = await projectOf(needs, params.project)
    const { databases, nodes } = needs.caches
    return complianceOf(project, databases.by(byProject, project.metadata.name), nodes.list())
  }
