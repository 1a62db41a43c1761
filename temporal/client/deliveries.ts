/** Starts the durable delivery of an event to a webhook; one that was ever started is left alone. */
import type { DeliverInput } from '../../activities/webhooks/messages.ts'
import { deliveryId, deliveryWorkflow } from '../../durable/ids.ts'
import type { SearchValues } from '../../durable/search-attributes.ts'
import { type Notice, subjectOf } from '../../kinds/projects/notice.ts'
import { startOnce } from './start-once.ts'
import type { WakeOptions } from './wakes.ts'

/** Spares asking the server again about what this process has seen started. */
const memoizedMax = 10_000

/**
 * Resolves when the delivery is started, by any process. Rejects when Temporal does not answer: the pass is then
 * repeated.
 */
export function createDeliveries(options: WakeOptions): (webhook: string, notice: Notice) => Promise<void> {
  const started = new Set<string>()
  return async (webhook, notice) => {
    const { event } = notice
    const subject = subjectOf(notice)
    const workflowId = deliveryId(webhook, subject, event)
    if (started.has(workflowId)) return
    // Retention is longer than events are ever repeated, so a second start always meets the first.
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

/** Of the run of a delivery. */
export function attributesOf(notice: Notice): SearchValues {
  const { event, project, environment } = notice
  const of = 'app' in notice ? { resource: notice.app, attempt: subjectOf(notice) } : { resource: notice.database }
  return { kind: 'webhook', ...of, project, environment, operation: event }
}
