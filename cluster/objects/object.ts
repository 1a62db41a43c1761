/** The common part of Kubernetes objects, as the API server sends it: JSON, so times are strings. */
import type { ResourceMeta } from '../../kinds/meta/resource.ts'
import { defined } from '../../contract/defined.ts'

export interface Meta extends ResourceMeta {
  managedFields?: unknown
}

export interface KubeObject {
  apiVersion: string
  kind: string
  metadata: Meta
}

/** The JSON form of a client-node type: every Date is a string. */
export type AsSent<V> = V extends Date
  ? string
  : V extends (infer Item)[]
    ? AsSent<Item>[]
    : V extends object
      ? { [Key in keyof V]: AsSent<V[Key]> }
      : V

/** A built-in object typed by client-node, `Sent<V1Deployment>`, that fits the client and the cache. */
export type Sent<V> = KubeObject & AsSent<Omit<V, 'apiVersion' | 'kind' | 'metadata'>>

/** `namespace/name`, or the bare name of a cluster-wide object: unique within one type. */
export function nameKey(name: string, namespace?: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

export function keyOfObject(object: KubeObject): string {
  return nameKey(object.metadata.name, object.metadata.namespace)
}

/**
 * uid and resourceVersion of an object that was read, for metadata or preconditions: the write or deletion then applies
 * only to that very version.
 */
export function sentVersionOf({ metadata: { uid, resourceVersion } }: Pick<KubeObject, 'metadata'>): {
  uid?: string
  resourceVersion?: string
} {
  return { ...defined({ uid, resourceVersion }) }
}
