/** Starts the durable delivery of an event to a webhook; one that was ever started is left alone. */

import type { DeliverInput } from '../../activities/webhooks/messages.ts'
import { deliveryId, deliveryWorkflow } from '../../durable/ids.ts'
import type { DeployNotice } from '../../kinds/projects/deploy-notice.ts'
import { startOnce } from './start-once.ts'
import type { WakeOptions } from './wakes.ts'

/** Spares asking the server again about what this process has seen started. */
const rememberedMax = 10_000

/**
 * Resolves when the delivery is started, by any process. Rejects when Temporal does not answer: the pass is then
 * repeated.
 */
export function createDeliveries(options: WakeOptions): (webhook: string, notice: DeployNotice) => Promise<void> {
  const started = new Set<string>()
  return async (webhook, notice) => {
    const { event, app, project, environment, deployment } = notice
    const workflowId = deliveryId(webhook, deployment.id, event)
    if (started.has(workflowId)) return
    // Retention is longer than events are ever repeated, so a second start always meets the first.
    await startOnce(options, {
      type: deliveryWorkflow,
      workflowId,
      input: { webhook, notice } satisfies DeliverInput,
      summary: `${event} of ${deployment.id} to webhook ${webhook}`,
      attributes: {
        kind: 'webhook',
        resource: app,
        project,
        environment,
        attempt: deployment.id,
        operation: event,
      },
    })
    if (started.size >= rememberedMax) started.clear()
    started.add(workflowId)
  }
}
