/** Delivers an event to its webhook again; the event is read from the history of the run that delivered it before. */
import type { Client } from '@temporalio/client'
import type { DeliverInput } from '../../activities/webhooks/messages.ts'
import { deliveryId, deliveryWorkflow, redeliveryId } from '../../durable/ids.ts'
import { subjectOf } from '../../kinds/projects/notice.ts'
import { attributesOf } from './deliveries.ts'
import { valueOf } from './run-steps.ts'
import { answered, findRun, outcomeOf } from './runs.ts'
import { startOnce } from './start-once.ts'
import type { WakeOptions } from './wakes.ts'

export interface Delivery extends DeliverInput {
  /** Whether the delivery is still being tried. */
  readonly isOpen: boolean
}

export interface Redeliveries {
  /** The delivery of a run; undefined if Temporal has no such run, or keeps it no longer. */
  read(run: string): Promise<Delivery | undefined>
  /**
   * Starts a run that delivers the event again, and resolves with its run ID. The delivery of one run is repeated once:
   * later calls, by any process, resolve with the same run. `webhook-id` and body are the same as before.
   */
  start(run: string, delivery: DeliverInput, actor: string): Promise<string>
}

/** All calls throw Problem `internal_error` while Temporal does not answer. */
export const createRedeliveries = (options: WakeOptions): Redeliveries => ({
  read: (run) => answered(options.client, () => readDelivery(options.client, run)),
  start: (run, delivery, actor) => answered(options.client, () => startAgain(options, run, delivery, actor)),
})

async function readDelivery(client: Client, run: string): Promise<Delivery | undefined> {
  const info = await findRun(client, run)
  if (info?.type?.name !== deliveryWorkflow) return undefined
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId: info.execution?.workflowId ?? '', runId: run },
    maximumPageSize: 1,
  })
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes
  const input = valueOf(started?.input?.payloads?.[0]) as DeliverInput | undefined // by its workflow type
  if (input === undefined) return undefined
  const { webhook, notice } = input
  return { webhook, notice, isOpen: outcomeOf(info.status) === 'running' }
}

async function startAgain(
  options: WakeOptions,
  run: string,
  { webhook, notice }: DeliverInput,
  actor: string,
): Promise<string> {
  const subject = subjectOf(notice)
  const workflowId = redeliveryId(deliveryId(webhook, subject, notice.event), run)
  await startOnce(options, {
    type: deliveryWorkflow,
    workflowId,
    input: { webhook, notice } satisfies DeliverInput,
    summary: `${notice.event} of ${subject} to webhook ${webhook} again`,
    attributes: { ...attributesOf(notice), actor },
  })
  return (await options.client.workflow.getHandle(workflowId).describe()).runId
}
