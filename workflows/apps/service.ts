/** The story of one service: a run is one episode of work, normally one deploy; it ends when the record holds nothing new. */

import { ApplicationFailure } from '@temporalio/workflow'
import type { SettleInput } from '../../durable/messages.ts'
import type { Plan } from '../../kinds/apps/next-action.ts'
import { activitiesFor } from '../activities.ts'
import { Episode } from '../episode.ts'
import { removeService } from './remove.ts'
import { rollOut } from './rollout.ts'

/**
 * Workflow id `app/<name>`; opened by signal-with-start from the api and the watch, woken by the signal `hint`. Keeps nothing that
 * the record does not hold, so terminating it is always safe. Fails with type ProvisionFailed when the last story did.
 */
export async function service(input: SettleInput): Promise<void> {
  const episode = new Episode('app', input)
  const { apps } = activitiesFor(input.policy)
  let { failure = '', ...carried } = input.carried ?? {}
  let plan: Plan = await apps.readPlan({ name: input.name })
  for (;;) {
    if (episode.isLong) return episode.handOver({ failure })
    episode.heard()
    if (plan.story !== 'rest') episode.begin({ ...plan, operation: plan.story === 'deploy' ? plan.operation : plan.story })
    switch (plan.story) {
      case 'adopt':
        plan = await apps.adopt({ name: plan.name, uid: plan.uid })
        break
      case 'note':
        plan = await apps.note({ name: plan.name, uid: plan.uid })
        break
      case 'putBack':
        plan = await apps.putBack({ name: plan.name, uid: plan.uid })
        failure = ''
        break
      case 'deploy':
      case 'reconcile': {
        const end = await rollOut(episode, apps, plan, carried.begun === plan.attempt ? carried : {})
        carried = {}
        plan = end.plan
        failure = end.failure
        break
      }
      case 'withdraw':
      case 'remove':
        plan = await removeService(episode, apps, plan)
        failure = ''
        break
      case 'rest': {
        const seen = await apps.look({ name: plan.name, uid: plan.uid, attempt: '', intent: plan.intent, deadlinePassed: false })
        plan = seen.outcome === 'missing' && seen.plan.story === 'rest' ? { ...seen.plan, story: 'reconcile' } : seen.plan
        break
      }
      default:
        return plan.story satisfies never
    }
    if (plan.story === 'rest' && !episode.hinted) break // no await from here to the end, so no hint is lost
  }
  if (failure !== '') {
    episode.end('ProvisionFailed', failure)
    throw ApplicationFailure.create({ type: 'ProvisionFailed', message: failure, nonRetryable: true })
  }
  episode.end('Settled', 'nothing left to do')
}
