/** The task queue that svc's workers poll. */

export const controlQueue = 'svc-control'

/** The Temporal namespace of an install unless `SVC_TEMPORAL_NAMESPACE` names another. */
export const defaultTemporalNamespace = 'svc'
