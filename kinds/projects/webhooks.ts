/** A webhook as a project's record holds it. */

import type { WebhookEvent } from '../../contract/webhook-events.ts'
import type { ProjectSpec } from './kind.ts'

export type Webhook = ProjectSpec['webhooks'][number]

/** As it is stored: all of them are the same as none. */
export function storedEvents(events: readonly WebhookEvent[], all: readonly WebhookEvent[]): WebhookEvent[] {
  const asked = all.filter((event) => events.includes(event))
  return asked.length === all.length ? [] : asked
}
