/** The task queues that svc's workers poll. */

export const controlQueue = 'svc-control'

/** The queue for webhooks and reports: a slow receiver holds a slot of this queue, not one that deploys need. */
export const webhookQueue = 'svc-webhooks'

/** The queue for function calls, which may take minutes: neither deploys nor webhooks wait for them. */
export const functionQueue = 'svc-functions'

/** The Temporal namespace of an install unless `SVC_TEMPORAL_NAMESPACE` names another. */
export const defaultTemporalNamespace = 'svc'
