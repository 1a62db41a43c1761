/** Reconciles one service: a run is one piece of work, normally one deploy. */

import type { SettleInput } from '../../durable/messages.ts'
import type { Plan } from '../../kinds/apps/next-action.ts'
import { activitiesFor } from '../calls.ts'
import { type Acted, reconcile } from '../reconcile.ts'
import { ReconcileRun } from '../reconcile-run.ts'
import { removeService } from './remove.ts'
import { rollOut } from './rollout.ts'

/** Workflow id `app/<name>`. */
export async function service(input: SettleInput): Promise<void> {
  const run = new ReconcileRun('app', input)
  const { apps } = activitiesFor(input.policy)
  let { failure, ...carried } = input.carried ?? {}
  const act = async (plan: Plan): Promise<Acted<Plan>> => {
    if (plan.story !== 'rest') run.begin({ ...plan, operation: plan.story === 'deploy' ? plan.operation : plan.story })
    switch (plan.story) {
      case 'adopt':
        return { plan: await apps.deployExternalEdit({ name: plan.name, uid: plan.uid }) }
      case 'note':
        return { plan: await apps.note({ name: plan.name, uid: plan.uid }) }
      case 'putBack':
        return { plan: await apps.autoRollback({ name: plan.name, uid: plan.uid }), failure: '' }
      case 'deploy':
      case 'reconcile': {
        const former = carried.begun === plan.attempt ? carried : {}
        carried = {}
        return rollOut(run, apps, plan, former)
      }
      case 'withdraw':
      case 'remove':
        return { plan: await removeService(run, apps, plan), failure: '' }
      case 'rest': {
        const seen = await apps.checkDrift(plan)
        return {
          plan:
            seen.outcome === 'missing' && seen.plan.story === 'rest' ? { ...seen.plan, story: 'reconcile' } : seen.plan,
        }
      }
      default:
        return plan.story satisfies never
    }
  }
  const plan = await apps.readPlan({ name: input.name })
  await reconcile<Plan>(
    run,
    { plan, failure },
    { isAtRest: ({ story }) => story === 'rest', looksFirst: () => true, act },
  )
}
