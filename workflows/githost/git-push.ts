/** One push to the repository of one service: deploys the service once, however often a worker dies meanwhile. */
import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import type { createGitHostActivities } from '../../activities/githost/activities.ts'
import type { GitPushed, GitPushedInput } from '../../activities/githost/messages.ts'
import { searchAttributes } from '../../durable/search-attributes.ts'

/** Workflow id `githost/push/<app>/<delivery>`: a delivery that is received twice is handled once. */
export async function gitPush({ policy, searchable, ...input }: GitPushedInput): Promise<GitPushed> {
  const { deployGitPushed } = proxyActivities<ReturnType<typeof createGitHostActivities>>({
    summary: 'Deploy the head of the branch',
    startToCloseTimeout: policy.activityMs,
    heartbeatTimeout: policy.heartbeatMs,
    retry: { initialInterval: policy.retryMs, maximumInterval: policy.retryMaxMs },
  })
  const pushed = await deployGitPushed(input)
  if (searchable) upsertSearchAttributes([{ key: searchAttributes.phase, value: 'Succeeded' }])
  setCurrentDetails(`**${input.app} ${input.push.branch}**: ${pushed.message}`)
  return pushed
}
