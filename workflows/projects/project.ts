/** Reconciles one project: sets up its environments, removes archived ones, or removes all with the project. */
import { patched } from '@temporalio/workflow'
import type { ReconcileInput } from '../../durable/messages.ts'
import type { ProjectPlan } from '../../kinds/projects/intent.ts'
import { activitiesFor } from '../calls.ts'
import { type Acted, reconcile } from '../reconcile.ts'
import { FailedPasses, ReconcileRun } from '../reconcile-run.ts'

/** Workflow id `project/<name>`. */
export async function project(input: ReconcileInput): Promise<void> {
  const run = new ReconcileRun('project', input)
  const { projects } = activitiesFor(input.policy)
  const failed = new FailedPasses(input.policy, input.carried?.failed)
  const act = async (plan: ProjectPlan): Promise<Acted<ProjectPlan>> => {
    const { name, uid, intent, story, actor = '' } = plan
    // A wake without a change of intent: an object may have been deleted, so the environments are set up once more.
    if (story === 'rest' && uid !== '') return { plan: (await projects.reconcile({ name, uid })).plan }
    // The project is gone, and another one may have its name now.
    if (story === 'rest') return { plan: patched('rest-reads') ? await projects.readPlan({ name }) : plan }
    run.begin({ operation: story, attempt: '', project: name, environment: '', actor })
    const pass = await (story === 'remove' ? projects.remove : projects.reconcile)({ name, uid })
    if (pass.outcome === 'failing' && failed.another(Date.now()))
      return { plan: await projects.markFailed({ name, uid, intent, message: pass.message }), failure: pass.message }
    if (pass.outcome === 'done' || pass.plan.intent !== intent) return { plan: pass.plan, failure: '' }
    if (pass.outcome === 'waiting') failed.reset()
    await run.rest(input.policy.recheckMs, pass.message)
    return { plan: await projects.readPlan({ name }), again: true, failure: '' }
  }
  const plan = await projects.readPlan({ name: input.name })
  await reconcile<ProjectPlan>(
    run,
    { plan, failure: input.carried?.failure },
    {
      isAtRest: ({ story }) => story === 'rest',
      looksFirst: () => true,
      act,
      carried: () => ({ failed: failed.carried }),
    },
  )
}
