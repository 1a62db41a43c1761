/** The events that an outgoing webhook may get (docs/reference/projects.md#webhooks). */

export const webhookEvents = ['deployment.started', 'deployment.succeeded', 'deployment.failed'] as const

export type WebhookEvent = (typeof webhookEvents)[number]
