/** Sends an event to a webhook once, by the webhook's current settings; throws on failure, and Temporal retries. */
import { ApplicationFailure } from '@temporalio/activity'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { deliveryMessageId, messageOf } from '../../kinds/projects/notice.ts'
import { whyNotSent } from '../../kinds/projects/webhooks.ts'
import type { WebhookSender } from '../../outside/webhooks/sender.ts'
import type { RecordStore } from '../../records/store/record-store.ts'
import { readWebhookSecret } from '../../records/secrets/webhook-secret.ts'
import type { Delivered, DeliverInput } from './messages.ts'

export interface DeliverNeeds {
  client: ClusterClient
  projects: RecordStore<Project>
  sender: WebhookSender
}

/**
 * A repetition sends the same message with the same `webhook-id` (Standard Webhooks: at least once). Throws
 * ApplicationFailure NotDelivered with the reason in plain words.
 */
export const deliver =
  ({ client, projects, sender }: DeliverNeeds) =>
  async ({ webhook: id, notice }: DeliverInput): Promise<Delivered> => {
    const project = await projects.readLive(notice.project)
    const webhook = project?.spec.webhooks.find((each) => each.id === id)
    if (project === undefined || webhook === undefined)
      return { outcome: 'withdrawn', message: 'the webhook was deleted' }
    const notSent = whyNotSent(webhook, notice.event)
    if (notSent !== undefined) return { outcome: 'withdrawn', message: notSent }
    const secret = await readWebhookSecret(client, project, id)
    if (secret === undefined) throw notDelivered('the webhook has no signing secret; rotate it')
    const sent = await sender.send(
      { url: webhook.url, secret },
      { id: deliveryMessageId(id, notice), body: messageOf(notice) },
    )
    if (!sent.ok) throw notDelivered(sent.reason)
    return { outcome: 'delivered', message: `the receiver answered ${sent.status}` }
  }

const notDelivered = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ type: 'NotDelivered', message })

export const createWebhookActivities = (needs: DeliverNeeds) => ({ deliverWebhook: deliver(needs) })
