/** The one way a project's record is edited: refused while it is deleted, and small enough. */

import { Problem, refuse } from '../../contract/problem.ts'
import { canonical } from '../../kinds/digest.ts'
import type { Project, ProjectSpec } from '../../kinds/projects/kind.ts'
import type { RecordStore } from '../record-store.ts'
import { refuseInvalid } from '../refuse-invalid.ts'
import { refuseTooLarge } from '../refuse-too-large.ts'

export interface ProjectNeeds {
  projects: RecordStore<Project>
}

/** Also what lives in its environments. */
export interface ContentNeeds extends ProjectNeeds {
  /** Names of the services, databases and buckets of an environment as the cluster holds them now. */
  contentsOf: (project: string, environment: string) => Promise<readonly string[]>
}

export const projectNotFound = 'project not found'

/** One conditional write; nothing is written when nothing changes. Throws Problem not_found, invalid_request. */
export async function editProject({ projects }: ProjectNeeds, name: string, change: (project: Project) => ProjectSpec, ifMatch?: string): Promise<Project> {
  const saved = await projects
    .edit(
      name,
      (project) => {
        if (project.metadata.deletionTimestamp !== undefined) throw refuse('the project is being deleted')
        const spec = change(project)
        refuseTooLarge(spec)
        return canonical(spec) === canonical(project.spec) ? undefined : { ...project, spec }
      },
      ifMatch,
    )
    .catch(refuseInvalid)
  if (saved === undefined) throw new Problem('not_found', projectNotFound)
  return saved
}
