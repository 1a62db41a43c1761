/** One push: deploys every service that builds its branch, however often a worker dies meanwhile. */
import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import type { createGitHostActivities } from '../../activities/githost/activities.ts'
import type { Pushed, PushedInput } from '../../activities/githost/messages.ts'
import { searchAttributes } from '../../durable/search-attributes.ts'

/** Workflow id `githost/<delivery>`: a delivery that is received twice is handled once. */
export async function gitHostPush({ delivery, push, policy, searchable }: PushedInput): Promise<Pushed> {
  const { deployPushed } = proxyActivities<ReturnType<typeof createGitHostActivities>>({
    summary: 'Deploy what builds this branch',
    startToCloseTimeout: policy.activityMs,
    heartbeatTimeout: policy.heartbeatMs,
    retry: { initialInterval: policy.retryMs, maximumInterval: policy.retryMaxMs },
  })
  const pushed = await deployPushed({ delivery, push })
  if (searchable) upsertSearchAttributes([{ key: searchAttributes.phase, value: 'Succeeded' }])
  const lines = [...pushed.deployed.map((name) => `deploys ${name}`), ...pushed.refused.map((why) => `refused: ${why}`)]
  setCurrentDetails(
    `**${push.repository} ${push.branch}**: ${lines.length === 0 ? 'nothing builds it' : lines.join('; ')}`,
  )
  return pushed
}
