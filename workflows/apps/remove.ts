/** Takes down what was made for a service: before its record goes, or because it is undeployed. */

import type { Plan } from '../../kinds/apps/view.ts'
import type { AppActivities } from '../calls.ts'
import type { ReconcileRun } from '../reconcile-run.ts'

/** Repeats the teardown until nothing is left, without a limit, since a finalizer holds the record until then. */
export async function removeService(run: ReconcileRun, apps: AppActivities, first: Plan): Promise<Plan> {
  let plan = first
  while (plan.story === first.story && plan.uid === first.uid) {
    run.clearWake()
    const passed = await apps.tearDown({
      name: plan.name,
      uid: plan.uid,
      story: first.story === 'remove' ? 'remove' : 'withdraw',
    })
    plan = passed.plan
    if (passed.outcome === 'done') return plan
    await run.rest(run.policy.recheckMs, passed.message)
    if (run.isLong) return run.continueAsNew()
  }
  return plan
}
