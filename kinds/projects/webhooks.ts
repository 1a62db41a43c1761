/** A webhook as a project's record holds it. */
import { deployEvents, type WebhookEvent, webhookEvents } from '../../contract/webhook-events.ts'
import type { ProjectSpec } from './kind.ts'

export type Webhook = ProjectSpec['webhooks'][number]

/**
 * No event named means every one of deploys (docs/reference/projects.md#saving-a-webhook); a disabled one receives
 * nothing.
 */
export function isSubscribed({ disabled, events }: Webhook, event: WebhookEvent): boolean {
  const wanted: readonly WebhookEvent[] = events.length === 0 ? deployEvents : events
  return !disabled && wanted.includes(event)
}

/** Why the webhook is not sent this event, in the words of a delivery; undefined where it is. */
export function whyNotSent(webhook: Webhook, event: WebhookEvent): string | undefined {
  if (isSubscribed(webhook, event)) return undefined
  return webhook.disabled ? 'the webhook is disabled' : 'the webhook no longer wants this event'
}

/** As it is stored: all of deploys, and nothing else, are the same as none. */
export function storedEvents(events: readonly WebhookEvent[]): WebhookEvent[] {
  const asked = webhookEvents.filter((event) => events.includes(event))
  return asked.join() === deployEvents.join() ? [] : asked
}
