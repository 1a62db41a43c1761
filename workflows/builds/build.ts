/** Carries out one build: waits for checks and in the queue, runs its Job, and removes the Job in the end. */
import { patched } from '@temporalio/workflow'
import type { createBuildActivities } from '../../activities/builds/activities.ts'
import type { ReconcileInput } from '../../durable/messages.ts'
import type { BuildPlan } from '../../kinds/builds/plan.ts'
import { callsFor } from '../calls.ts'
import { type Acted, reconcile } from '../reconcile.ts'
import { ReconcileRun } from '../reconcile-run.ts'

/** Workflow id `build/<name of the build>`. */
export async function build(input: ReconcileInput): Promise<void> {
  const run = new ReconcileRun('build', input)
  const { reads, activity } = callsFor<ReturnType<typeof createBuildActivities>>(input.policy)
  const { readBuildPlan: readPlan } = reads
  const { passBuild: pass } = activity('Bring the build on')
  const act = async (plan: BuildPlan): Promise<Acted<BuildPlan>> => {
    const { name, uid, action, attempt, project, environment } = plan
    // A wake at rest may be about a deletion, which the plan does not show that was read before the wake.
    if (action === 'rest') return { plan: patched('rest-reads') ? await readPlan({ name }) : plan }
    run.begin({ operation: action, attempt, project, environment, actor: '' })
    const passed = await pass({ name, uid })
    if (passed.outcome === 'done') return { plan: passed.plan }
    await run.rest(passed.restMs ?? input.policy.recheckMs, passed.message)
    return { plan: await readPlan({ name }) }
  }
  const plan = await readPlan({ name: input.name })
  await reconcile<BuildPlan>(
    run,
    { plan },
    { isAtRest: ({ action }) => action === 'rest', looksFirst: () => false, act },
  )
}
