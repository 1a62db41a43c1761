/** `POST /projects`: a project with a generated ID and name and the environment `production`. */
import { createProject } from '../../records/projects/create-project.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintProject } from './scope.ts'

export const create =
  (needs: Needs): Handler<'projects.create'> =>
  async (call) => {
    const { name } = (await createProject(needs.writes, call.params.region ?? '')).metadata
    hintProject(needs, name, 'created', call)
    return { project: name }
  }
