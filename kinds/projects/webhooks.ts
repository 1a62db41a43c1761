/** A webhook in a project's record. */
import { deployEvents, type WebhookEvent, webhookEvents } from '../../contract/fields/words.ts'
import type { ProjectSpec } from './kind.ts'

export type Webhook = ProjectSpec['webhooks'][number]

/**
 * An empty list means every event of deploys (docs/reference/projects.md#saving-a-webhook); a disabled webhook gets
 * none.
 */
export function isSubscribed({ disabled, events }: Webhook, event: WebhookEvent): boolean {
  const wanted: readonly WebhookEvent[] = events.length === 0 ? deployEvents : events
  return !disabled && wanted.includes(event)
}

/** Why the webhook does not get this event, in the words of a delivery; undefined where it does. */
export function whyNotSent(webhook: Webhook, event: WebhookEvent): string | undefined {
  if (isSubscribed(webhook, event)) return undefined
  return webhook.disabled ? 'the webhook is disabled' : 'the webhook no longer wants this event'
}

/** The stored form: exactly all events of deploys are stored as an empty list. */
export function storedEvents(events: readonly WebhookEvent[]): WebhookEvent[] {
  const asked = webhookEvents.filter((event) => events.includes(event))
  return asked.join() === deployEvents.join() ? [] : asked
}
