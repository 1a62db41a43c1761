/** Deletes a project's record; its workflow then deletes all that the project holds. */
import { Problem, refusals, refuse } from '../../contract/problem.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { DeletionRequest } from '../../kinds/provision/deletion-request.ts'
import { projectNotFound, type ProjectNeeds } from './edit-project.ts'

export interface DeletionNeeds extends ProjectNeeds {
  /** The live object stores of every environment, drafts included. */
  storesOf: (project: string) => Promise<readonly ObjectStore[]>
}

/**
 * Harmless to repeat. Throws Problem invalid_request when `confirmName` is not the exact display name, or while the
 * project has remote buckets (docs/reference/projects.md#deleting-a-project).
 */
export async function askProjectDeletion(
  needs: DeletionNeeds,
  name: string,
  confirmName: string,
  asked?: DeletionRequest,
): Promise<Project> {
  // Read live: the name that is confirmed is the one that the project has now.
  const project = await needs.projects.readLive(name)
  if (project === undefined) throw new Problem('not_found', projectNotFound)
  const { displayName } = project.spec
  if (confirmName !== (displayName === '' ? name : displayName)) throw refuse(refusals.confirmation)
  const remote = (await needs.storesOf(name)).filter(
    ({ spec }) => spec.engine === 'Remote' || spec.placement === 'External',
  )
  if (remote.length > 0)
    throw refuse(
      `delete the remote buckets of this project first: ${remote.map(({ metadata }) => metadata.name).join(', ')}`,
    )
  if (!(await needs.projects.remove(name, project.metadata.uid ?? '', asked)))
    throw new Problem('not_found', projectNotFound)
  return project
}
