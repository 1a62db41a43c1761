/**
 * One delivery: sends an event of a deploy, or of the backups of a database, to one webhook, until the receiver accepts
 * it, its time is over, or the webhook is gone.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import type { createWebhookActivities } from '../../activities/webhooks/deliver.ts'
import type { DeliveryInput } from '../../activities/webhooks/messages.ts'
import { searchAttributes } from '../../durable/search-attributes.ts'
import type { Policy } from '../../durable/policy.ts'
import { subjectOf } from '../../kinds/projects/notice.ts'
import { webhookQueue } from '../../durable/queues.ts'

/**
 * Workflow id `webhook/<webhook>/<record>/<event>`, started once, by the pass that wrote the event; with `/<run>` after
 * it, started by a caller to repeat the delivery of that run. Retried with growing pauses for `policy.webhookGiveUpMs`;
 * the next try ends it if the webhook was deleted or disabled. Fails with type GivenUp.
 */
export async function webhookDelivery({ webhook, notice, policy, searchable }: DeliveryInput): Promise<string> {
  const end = (phase: string, line: string) => {
    if (searchable) upsertSearchAttributes([{ key: searchAttributes.phase, value: phase }])
    setCurrentDetails(`**${notice.event} of ${subjectOf(notice)}**: ${line}`)
    return line
  }
  try {
    const { outcome, message } = await deliveryActivities(policy).deliver({ webhook, notice })
    return end(outcome === 'delivered' ? 'Delivered' : 'Withdrawn', message)
  } catch (error) {
    if (isCancellation(error)) throw error
    const message = end('GivenUp', `not delivered in time: ${reasonOf(error)}`)
    throw ApplicationFailure.create({ type: 'GivenUp', message, nonRetryable: true })
  }
}

/** The activity, retried with growing pauses until the event is delivered, or its time is over. */
function deliveryActivities(policy: Policy) {
  const { deliverWebhook } = proxyActivities<ReturnType<typeof createWebhookActivities>>({
    taskQueue: webhookQueue,
    summary: 'Send it to the webhook',
    startToCloseTimeout: policy.webhookTryMs + policy.activityMs,
    scheduleToCloseTimeout: policy.webhookGiveUpMs,
    heartbeatTimeout: policy.heartbeatMs,
    retry: { initialInterval: policy.webhookRetryMs, maximumInterval: policy.webhookRetryMaxMs, backoffCoefficient: 2 },
  })
  return { deliver: deliverWebhook }
}

/** The error of the last try; a fixed text if that try was still running when the time was over. */
function reasonOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : undefined
  return cause instanceof ApplicationFailure ? cause.message : 'the last try was cut off'
}
