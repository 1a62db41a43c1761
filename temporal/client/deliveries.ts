/** Starts the durable delivery of an event to a webhook; a delivery is started only once. */
import type { DeliverInput } from '../../activities/webhooks/messages.ts'
import { deliveryId, deliveryWorkflow } from '../../durable/ids.ts'
import type { SearchValues } from '../../durable/search-attributes.ts'
import { type Notice, subjectOf } from '../../kinds/projects/notice.ts'
import { startOnce } from './start-once.ts'
import type { WakeOptions } from './wakes.ts'

/** Limit of the memo of deliveries that this process knows as started, which spares calls to Temporal. */
const memoizedMax = 10_000

/**
 * Resolves once the delivery was started, by any process. Rejects when Temporal does not answer; then the pass is
 * repeated.
 */
export function createDeliveries(options: WakeOptions): (webhook: string, notice: Notice) => Promise<void> {
  const started = new Set<string>()
  return async (webhook, notice) => {
    const { event } = notice
    const subject = subjectOf(notice)
    const workflowId = deliveryId(webhook, subject, event)
    if (started.has(workflowId)) return
    // Temporal keeps ended runs for longer than an event may be repeated, so a second start is always refused.
    await startOnce(options, {
      type: deliveryWorkflow,
      workflowId,
      input: { webhook, notice } satisfies DeliverInput,
      summary: `${event} of ${subject} to webhook ${webhook}`,
      attributes: attributesOf(notice),
    })
    if (started.size >= memoizedMax) started.clear()
    started.add(workflowId)
  }
}

/** The search attributes of a delivery's run. */
export function attributesOf(notice: Notice): SearchValues {
  const { event, project, environment } = notice
  const of = 'app' in notice ? { resource: notice.app, attempt: subjectOf(notice) } : { resource: notice.database }
  return { kind: 'webhook', ...of, project, environment, operation: event }
}
