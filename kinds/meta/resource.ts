/** The shape every record of the platform has; plain types, so that workflows can see them. */

/** The owner of an object; Kubernetes deletes the object with its owner. */
export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** `metadata` as the cluster sends it; times stay RFC 3339 strings. */
export interface ResourceMeta {
  name: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: OwnerReference[]
}

export interface Condition<Reason extends string = string> {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason: Reason
  message: string
  lastTransitionTime: string
  observedGeneration?: number
}

export interface Resource<Spec, Status> {
  apiVersion: string
  kind: string
  metadata: ResourceMeta
  spec: Spec
  status?: Status
}
