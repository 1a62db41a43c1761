/** The events that an outgoing webhook may get (docs/reference/projects.md#webhooks). */

/** What a webhook gets that names no event. */
export const deployEvents = ['deployment.started', 'deployment.succeeded', 'deployment.failed'] as const

/** All there are; those beyond deploys are sent only to webhooks that name them. */
export const webhookEvents = [...deployEvents, 'backup.failed'] as const

export type DeployEvent = (typeof deployEvents)[number]
export type WebhookEvent = (typeof webhookEvents)[number]
