/** Starts the durable work on a push; a delivery that was ever started is left alone. */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import type { PushedInput } from '../../activities/githost/messages.ts'
import { pushId, pushWorkflow } from '../../durable/ids.ts'
import { controlQueue } from '../../durable/queues.ts'
import { searchAttributes } from '../../durable/search-attributes.ts'
import type { PushInput } from '../../kinds/apps/push.ts'
import type { WakeOptions } from './wakes.ts'

const deadlineMs = 5_000

/** `start` resolves when the work is started, now or before. Rejects when Temporal does not answer. */
export function createPushes({ client, policy, searchable }: WakeOptions): { start(input: PushInput): Promise<void> } {
  return {
    async start({ delivery, push }) {
      const input: PushedInput = { delivery, push, policy, searchable }
      try {
        await client.withDeadline(Date.now() + deadlineMs, () =>
          client.workflow.start(pushWorkflow, {
            workflowId: pushId(delivery),
            // The git host sends a delivery again for days at most, and ended runs are kept longer.
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
            taskQueue: controlQueue,
            args: [input],
            workflowTaskTimeout: policy.workflowTaskMs,
            staticSummary: `push to ${push.branch} of ${push.repository}`,
            ...(searchable
              ? {
                  typedSearchAttributes: [
                    { key: searchAttributes.kind, value: 'githost' },
                    { key: searchAttributes.resource, value: push.repository },
                    { key: searchAttributes.operation, value: 'push' },
                    { key: searchAttributes.phase, value: 'Running' },
                  ],
                }
              : {}),
          }),
        )
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
      }
    },
  }
}
