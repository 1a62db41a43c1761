/** Saves which projects may reach the services of a project; its workflow then updates the network policies. */
import { refuse } from '../../contract/problem.ts'
import type { Project, ProjectSpec } from '../../kinds/projects/kind.ts'
import { editProject, type ProjectNeeds } from './edit-project.ts'

/**
 * The list replaces the one before. The project's own name is dropped, since a project can always reach itself. Throws
 * Problem not_found, invalid_request (a name of no project).
 */
export async function saveNetwork(
  needs: ProjectNeeds,
  name: string,
  wanted: ProjectSpec['network'],
  ifMatch?: string,
  actor?: string,
): Promise<Project> {
  const allowFromProjects = [...new Set(wanted.allowFromProjects)].filter((other) => other !== name)
  const found = await Promise.all(allowFromProjects.map((other) => needs.projects.read(other)))
  return editProject(
    needs,
    name,
    ({ spec }) => {
      if (found.includes(undefined)) throw refuse('allowFromProjects must be IDs of projects')
      return { ...spec, network: { isolation: wanted.isolation, allowFromProjects } }
    },
    ifMatch,
    actor,
  )
}
