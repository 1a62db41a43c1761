/** Starts the durable work on what the git host tells of; a push that was ever started is left alone. */
import { pushId, pushWorkflow } from '../../durable/ids.ts'
import type { Wake } from '../../durable/messages.ts'
import type { PushInput } from '../../kinds/apps/push.ts'
import type { PullRequestRef } from '../../kinds/projects/pull-requests.ts'
import { startOnce } from './start-once.ts'
import { type WakeOptions, wakePullRequest } from './wakes.ts'

const deadlineMs = 5_000

/** Both resolve when the work is durable. Reject when Temporal does not answer. */
export function createPushes(options: WakeOptions): {
  start(input: PushInput): Promise<void>
  wakePullRequest(ref: PullRequestRef, wake: Wake): Promise<void>
} {
  return {
    wakePullRequest: (ref, wake) => wakePullRequest(options, ref, wake, deadlineMs),
    // The git host sends a delivery again for days at most, and ended runs are kept longer.
    start: (input) =>
      startOnce(options, {
        type: pushWorkflow,
        workflowId: pushId(input.delivery),
        input,
        summary: `push to ${input.push.branch} of ${input.push.repository}`,
        attributes: { kind: 'githost', resource: input.push.repository, operation: 'push' },
      }),
  }
}
