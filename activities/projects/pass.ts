/** A pass over the live record of a project. */
import { projectPlanNow } from '../../kinds/projects/intent.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { onFreshRecord } from '../../records/store/retry.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import type { ProjectPass, ProjectPassInput } from './messages.ts'

/** The activity of `pass`; done at once if the project is gone or another one has its name. */
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
