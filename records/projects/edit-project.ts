/** All edits of a project's record: refused while it is being deleted, and limited in size. */
import { Problem, refuse } from '../../contract/problem.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import type { Project, ProjectSpec } from '../../kinds/projects/kind.ts'
import { withEditor } from '../../kinds/provision/edited-by.ts'
import type { RecordStore } from '../store/record-store.ts'
import { refuseInvalid } from '../store/refuse-invalid.ts'
import { refuseTooLarge } from '../store/refuse-too-large.ts'

export interface ProjectNeeds {
  projects: RecordStore<Project>
}

/** The needs of edits that depend on the contents of environments. */
export interface ContentNeeds extends ProjectNeeds {
  /** Names of the live services, databases and buckets of an environment. */
  contentsOf: (project: string, environment: string) => Promise<readonly string[]>
}

/** The needs of edits that depend on the project's databases. */
export interface DatabaseNeeds extends ProjectNeeds {
  /** The live databases of every environment, drafts included. */
  databasesOf: (project: string) => Promise<readonly Database[]>
}

export const projectNotFound = 'project not found'

/**
 * One conditional write; nothing is written when nothing changes. The run that follows says who asked, if `actor` does.
 * Throws Problem not_found, invalid_request.
 */
export async function editProject(
  needs: ProjectNeeds,
  name: string,
  change: (project: Project) => ProjectSpec,
  ifMatch?: string,
  actor?: string,
): Promise<Project> {
  return editProjectRecord(needs, name, (project) => ({ ...project, spec: change(project) }), ifMatch, actor)
}

/** As `editProject`, for annotations as well. */
export async function editProjectRecord(
  { projects }: ProjectNeeds,
  name: string,
  change: (project: Project) => Project,
  ifMatch?: string,
  actor?: string,
): Promise<Project> {
  const saved = await projects
    .edit(
      name,
      (project) => {
        if (project.metadata.deletionTimestamp !== undefined) throw refuse('the project is being deleted')
        const wanted = change(project)
        refuseTooLarge(wanted.spec)
        if (canonical(wanted.spec) !== canonical(project.spec))
          return actor === undefined ? wanted : { ...wanted, metadata: withEditor(wanted.metadata, actor) }
        return canonical(wanted.metadata) === canonical(project.metadata) ? undefined : wanted
      },
      ifMatch,
    )
    .catch(refuseInvalid)
  if (saved === undefined) throw new Problem('not_found', projectNotFound)
  return saved
}
