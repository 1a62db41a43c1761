/** A pass over a project, made on the record as it stands. */
import { projectPlanNow } from '../../kinds/projects/intent.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { onFreshRecord } from '../context/fresh-record.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import type { ProjectPass, ProjectPassInput } from './messages.ts'

/** The activity of `pass`; a project that is gone, or another one of its name by now, needs none. */
export const projectPass =
  (pass: (needs: ActivityNeeds, project: Project) => Promise<ProjectPass>) =>
  (needs: ActivityNeeds) =>
  ({ name, uid }: ProjectPassInput): Promise<ProjectPass> =>
    onFreshRecord(
      needs.projects,
      name,
      uid,
      (project) => pass(needs, project),
      (other) => ({ outcome: 'done', message: '', plan: projectPlanNow(name, other) }),
    )
