/** Starts the durable delivery of an event to a webhook; one that was ever started is left alone. */

import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import type { DeliveryInput } from '../../activities/webhooks/messages.ts'
import { deliveryId, deliveryWorkflow } from '../../durable/ids.ts'
import { controlQueue } from '../../durable/queues.ts'
import { searchAttributes } from '../../durable/search-attributes.ts'
import type { DeployNotice } from '../../kinds/projects/deploy-notice.ts'
import type { WakeOptions } from './wakes.ts'

const deadlineMs = 5_000
/** Spares asking the server again about what this process has seen started. */
const rememberedMax = 10_000

/**
 * Resolves when the delivery is started, by any process. Rejects when Temporal does not answer: the pass is then
 * repeated.
 */
export function createDeliveries({
  client,
  policy,
  searchable,
}: WakeOptions): (webhook: string, notice: DeployNotice) => Promise<void> {
  const started = new Set<string>()
  return async (webhook, notice) => {
    const { event, app, project, environment, deployment } = notice
    const workflowId = deliveryId(webhook, deployment.id, event)
    if (started.has(workflowId)) return
    const input: DeliveryInput = { webhook, notice, policy, searchable }
    try {
      await client.withDeadline(Date.now() + deadlineMs, () =>
        client.workflow.start(deliveryWorkflow, {
          workflowId,
          // Retention is longer than events are ever repeated, so a second start always meets the first.
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          taskQueue: controlQueue,
          args: [input],
          workflowTaskTimeout: policy.workflowTaskMs,
          staticSummary: `${event} of ${deployment.id} to webhook ${webhook}`,
          ...(searchable
            ? {
                typedSearchAttributes: [
                  { key: searchAttributes.kind, value: 'webhook' },
                  { key: searchAttributes.resource, value: app },
                  { key: searchAttributes.project, value: project },
                  { key: searchAttributes.environment, value: environment },
                  { key: searchAttributes.attempt, value: deployment.id },
                  { key: searchAttributes.operation, value: event },
                  { key: searchAttributes.phase, value: 'Running' },
                ],
              }
            : {}),
        }),
      )
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
    }
    if (started.size >= rememberedMax) started.clear()
    started.add(workflowId)
  }
}
