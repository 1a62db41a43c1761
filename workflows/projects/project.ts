/** The story of one project: its environments set up, archived or all removed; a run ends when the record holds nothing new. */

import { ApplicationFailure } from '@temporalio/workflow'
import type { SettleInput } from '../../durable/messages.ts'
import type { ProjectPlan } from '../../kinds/projects/intent.ts'
import { activitiesFor } from '../activities.ts'
import { Episode, FailedPasses } from '../episode.ts'

/** Workflow id `project/<name>`; opened and woken like `service`. */
export async function project(input: SettleInput): Promise<void> {
  const episode = new Episode('project', input)
  const { projects } = activitiesFor(input.policy)
  const failed = new FailedPasses(input.policy, input.carried?.failed)
  let { failure = '' } = input.carried ?? {}
  let plan: ProjectPlan = await projects.readPlan({ name: input.name })
  for (;;) {
    if (episode.isLong) return episode.handOver({ failure, failed: failed.carried })
    episode.heard()
    if (plan.story === 'rest') {
      // A hint without a change of intent: something that was made may have gone, so it is settled once more.
      const passed = plan.uid === '' ? undefined : await projects.settle({ name: plan.name, uid: plan.uid })
      plan = passed?.plan ?? plan
    } else {
      episode.begin({ operation: plan.story, attempt: '', project: plan.name, environment: '', actor: '' })
      const pass = await (plan.story === 'remove' ? projects.remove : projects.settle)({ name: plan.name, uid: plan.uid })
      const before = plan
      plan = pass.plan
      failure = ''
      if (pass.outcome === 'failing' && failed.another(Date.now())) {
        failure = pass.message
        plan = await projects.giveUp({ name: before.name, uid: before.uid, intent: before.intent, message: pass.message })
      } else if (pass.outcome !== 'done' && plan.intent === before.intent) {
        if (pass.outcome === 'waiting') failed.reset()
        await episode.rest(input.policy.recheckMs, pass.message)
        plan = await projects.readPlan({ name: input.name })
        continue
      }
    }
    if (plan.story === 'rest' && !episode.hinted) break // no await from here to the end, so no hint is lost
  }
  if (failure !== '') {
    episode.end('ProvisionFailed', failure)
    throw ApplicationFailure.create({ type: 'ProvisionFailed', message: failure, nonRetryable: true })
  }
  episode.end('Settled', 'nothing left to do')
}
