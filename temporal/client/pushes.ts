/** Starts the workflows for events of the git host; the workflow of a push is started only once. */
import { gitPushId, gitPushWorkflow, pushId, pushWorkflow } from '../../durable/ids.ts'
import type { Wake } from '../../durable/messages.ts'
import type { GitPushInput } from '../../kinds/apps/git/git-delivery.ts'
import type { PushInput } from '../../kinds/apps/git/push.ts'
import type { PullRequestRef } from '../../kinds/projects/pull-requests.ts'
import { startOnce } from './start-once.ts'
import { answerWithinMs, type WakeOptions, wakePullRequest } from './wakes.ts'

/** Each function resolves once the workflow is started or woken, and rejects when Temporal does not answer. */
export function createPushes(options: WakeOptions): {
  start(input: PushInput): Promise<void>
  startGit(input: GitPushInput): Promise<void>
  wakePullRequest(ref: PullRequestRef, wake: Wake): Promise<void>
} {
  return {
    wakePullRequest: (ref, wake) => wakePullRequest(options, ref, wake, answerWithinMs),
    // The git host repeats a delivery for days at most, and Temporal keeps ended runs for longer.
    start: (input) =>
      startOnce(options, {
        type: pushWorkflow,
        workflowId: pushId(input.delivery),
        input,
        summary: `push to ${input.push.branch} of ${input.push.repository}`,
        attributes: { kind: 'githost', resource: input.push.repository, operation: 'push' },
      }),
    startGit: (input) =>
      startOnce(options, {
        type: gitPushWorkflow,
        workflowId: gitPushId(input.app, input.delivery),
        input,
        summary: `push to ${input.push.branch} for ${input.app}`,
        attributes: { kind: 'githost', resource: input.app, operation: 'push' },
      }),
  }
}
