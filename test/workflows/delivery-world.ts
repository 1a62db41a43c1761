/** The webhooks of a test, their receivers, and the delivery runs. */
import { WorkflowNotFoundError, type WorkflowExecutionDescription } from '@temporalio/client'
import { Webhook } from 'standardwebhooks'
import { deliveryId } from '../../durable/ids.ts'
import { createWebhook, type WebhookSettings } from '../../records/projects/webhooks.ts'
import type { DeployNotice } from '../../kinds/projects/deploy-notice.ts'
import type { Notice } from '../../kinds/projects/notice.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { policyWith } from '../../durable/policy.ts'
import { createDeliveries } from '../../temporal/client/deliveries.ts'
import { eventually } from '../cluster/eventually.ts'
import type { TestRecords } from '../harness/records.ts'
import { atEnd } from '../harness/stack.ts'
import { useClient } from '../harness/temporal-client.ts'
import { testPolicy } from '../harness/worker.ts'
import { type Received, startReceiver, type TestReceiver } from '../outside/webhooks/receiver.ts'

const waitMs = 30_000

export interface Hook {
  id: string
  secret: string
  receiver: TestReceiver
}

/** A message as a receiver reads it; the library of Standard Webhooks verifies its signature. */
export interface Delivered {
  id: string
  type: string
  timestamp: string
  data: { app: string; project: string; environment: string; deployment: Record<string, string>; error?: string }
}

export async function hookOf(records: TestRecords, project: Project, settings: WebhookSettings = {}): Promise<Hook> {
  const receiver = await startReceiver()
  atEnd(() => receiver.stop())
  return { ...(await createWebhook(records, project.metadata.name, { url: receiver.url, ...settings })), receiver }
}

/** Messages are verified once, while fresh: a signature is valid for five minutes. */
const verified = new WeakMap<Received, Delivered>()

/** Every message so far, in order of arrival, repetitions included. */
export function received({ secret, receiver }: Hook): Delivered[] {
  return receiver.received.map((got) => {
    const message = verified.get(got) ?? verify(secret, got)
    verified.set(got, message)
    return message
  })
}

function verify(secret: string, { id, body, headers }: Received): Delivered {
  // Every header occurs once.
  const message = new Webhook(secret).verify(body, headers as Record<string, string>) as Omit<Delivered, 'id'>
  return { id, ...message }
}

/** Resolves when the receiver has each of these events of the attempt. */
export async function untilReceived(hook: Hook, record: string, events: readonly string[]): Promise<Delivered[]> {
  const of = () => received(hook).filter(({ data }) => data.deployment['id'] === record)
  await eventually(
    `${events.join(', ')} of ${record}`,
    () => {
      const types = of().map(({ type }) => type)
      return events.every((event) => types.includes(event))
    },
    waitMs,
  )
  return of()
}

/** The run that delivers an event, undefined when none was started. */
export async function deliveryOf(
  hook: Hook,
  record: string,
  event: string,
): Promise<WorkflowExecutionDescription | undefined> {
  const { workflow } = await useClient()
  try {
    return await workflow.getHandle(deliveryId(hook.id, record, event)).describe()
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined
    throw error
  }
}

/** Resolves with the result of the run, or the message of its failure. */
export async function endOf(hook: Hook, record: string, event: string): Promise<string> {
  await eventually(
    `delivery of ${event} of ${record}`,
    async () => (await deliveryOf(hook, record, event)) !== undefined,
    waitMs,
  )
  const { workflow } = await useClient()
  try {
    // The workflow returns a string.
    return (await workflow.getHandle(deliveryId(hook.id, record, event)).result()) as string
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    return `failed: ${cause instanceof Error ? cause.message : String(error)}`
  }
}

/** Resolves when at least so many tries of the delivery have failed. */
export async function untilTried(hook: Hook, record: string, event: string, times: number): Promise<void> {
  await eventually(
    `${times} tries of ${event} of ${record}`,
    async () => ((await deliveryOf(hook, record, event))?.raw.pendingActivities?.[0]?.attempt ?? 0) > times,
    waitMs,
  )
}

/** The notice that a deploy succeeded; its service need not exist. */
export function noticeOf({ metadata }: Pick<Project, 'metadata'>, app: string): DeployNotice {
  const at = new Date().toISOString()
  const deployment = {
    id: `${app}-00000`,
    phase: 'Succeeded' as const,
    image: 'svc/hello:1',
    commit: '',
    trigger: '',
    actor: 'Dashboard',
    changeTitle: '',
  }
  return {
    event: 'deployment.succeeded',
    at,
    project: metadata.name,
    environment: 'production',
    app,
    deployment: { ...deployment, completedAt: at },
  }
}

/** Starts a delivery from a worker process that has not started one before. */
export async function deliver(
  { id }: Pick<Hook, 'id'>,
  notice: Notice,
  policy: Record<string, number> = {},
): Promise<void> {
  const client = await useClient()
  await createDeliveries({ client, policy: policyWith({ ...testPolicy, ...policy }), searchable: true })(id, notice)
}
