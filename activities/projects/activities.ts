/** The activities of a project, bound to their clients and caches. */
import { type ProjectPlan, projectPlanNow } from '../../kinds/projects/intent.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { giveUpProject } from './mark-project-failed.ts'
import { removeProject } from './remove-project.ts'
import { reconcileProject } from './reconcile-project.ts'

export const createProjectActivities = (needs: ActivityNeeds) => ({
  readProjectPlan: async ({ name }: { name: string }): Promise<ProjectPlan> => {
    const project = await needs.projects.readLive(name)
    return projectPlanNow(name, project)
  },
  settleProject: reconcileProject(needs),
  giveUpProject: giveUpProject(needs),
  removeProject: removeProject(needs),
})
