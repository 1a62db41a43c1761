/** A webhook as a project's record holds it. */

import type { WebhookEvent } from '../../contract/webhook-events.ts'
import type { ProjectSpec } from './kind.ts'

export type Webhook = ProjectSpec['webhooks'][number]

/** No event named means every one (docs/reference/projects.md#saving-a-webhook); a disabled one receives nothing. */
export function isSubscribed({ disabled, events }: Webhook, event: WebhookEvent): boolean {
  return !disabled && (events.length === 0 || events.includes(event))
}

/** As it is stored: all of them are the same as none. */
export function storedEvents(events: readonly WebhookEvent[], all: readonly WebhookEvent[]): WebhookEvent[] {
  const asked = all.filter((event) => events.includes(event))
  return asked.length === all.length ? [] : asked
}
