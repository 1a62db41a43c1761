/** The task queues that svc's workers poll. */

export const controlQueue = 'svc-control'

/** Sends webhooks: a slow receiver holds a slot of this one, and never one that deploys need. */
export const webhookQueue = 'svc-webhooks'

/** Calls functions, which may take minutes: neither deploys nor webhooks wait for them. */
export const functionQueue = 'svc-functions'

/** The Temporal namespace of an install unless `SVC_TEMPORAL_NAMESPACE` names another. */
export const defaultTemporalNamespace = 'svc'
