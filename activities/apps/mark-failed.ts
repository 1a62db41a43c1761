/** Ends a rollout that never got its objects onto the cluster: failed too often, or waited too long. */
import type { Plan } from '../../kinds/apps/deploy/plan.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { notifyEnded } from '../webhooks/notify.ts'
import { endFailed } from './write-verdict.ts'
import type { MarkFailedInput } from './messages.ts'
import { planAfter } from './plan-after.ts'

export const markFailed =
  (needs: ActivityNeeds) =>
  (input: MarkFailedInput): Promise<Plan> =>
    planAfter(needs, input, async (app) => {
      const view = viewOf(app)
      const { effectiveSpec: spec, intent } = view
      if (spec === undefined || intent !== input.intent) return view.plan
      const health = {
        ready: false,
        reason: 'Missing' as const,
        message: input.message,
        replicas: app.status?.replicas ?? { desired: spec.replicas, ready: 0, available: 0 },
        restarts: 0,
      }
      const ended = await endFailed(needs, { view, spec, health }, input.message, input.reason)
      await notifyEnded(needs, ended, !view.attemptRuns)
      return viewOf(ended).plan
    })
