/** Ends the run of a project that cannot be set up: ProvisionFailed, until a retry or a change. */
import { planOfProject, projectIntent, type ProjectPlan, projectPlanNow } from '../../kinds/projects/intent.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { onFreshRecord } from '../../records/store/retry.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { withReady, writeStatus } from '../kube/write-status.ts'
import type { ProjectPassInput } from './messages.ts'

export const giveUpProject =
  (needs: ActivityNeeds) =>
  (input: ProjectPassInput & { intent: string; message: string }): Promise<ProjectPlan> =>
    onFreshRecord(
      needs.projects,
      input.name,
      input.uid,
      async (project) => {
        if (projectIntent(project) !== input.intent) return planOfProject(project)
        const conditions = withReady<'project'>(
          project,
          { ready: false, reason: 'ProvisionFailed', message: input.message },
          needs.now(),
        )
        return planOfProject(
          await writeStatus(needs.client, needs.projects, resourceTypes.project, project, {
            conditions,
            observedIntent: input.intent,
          }),
        )
      },
      (other) => projectPlanNow(input.name, other),
    )
