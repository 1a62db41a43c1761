/** The URLs of the Kubernetes API. */
import type { ResourceType } from './resource-type.ts'

export interface Query {
  [name: string]: string | number | boolean | readonly string[] | undefined
}

/** Path of a collection: `/apis/apps/v1/namespaces/shop/deployments`; all namespaces when none is given. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`
  const scope = type.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  return `${root}${scope}/${type.plural}`
}

/** Path of one object, or of a subresource of it. Throws when the name or a needed namespace is missing. */
export function objectPath(
  type: ResourceType,
  namespace: string | undefined,
  name: string,
  subresource?: string,
): string {
  if (name === '') throw new TypeError(`a ${type.kind} needs a name`)
  const path = `${collectionPath(type, scopeOf(type, namespace))}/${encodeURIComponent(name)}`
  return subresource === undefined ? path : `${path}/${subresource}`
}

/** Where a new object is posted to. */
export function creationPath(type: ResourceType, namespace: string | undefined): string {
  return collectionPath(type, scopeOf(type, namespace))
}

export function withQuery(path: string, query: Query | undefined): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    // A list is the same name once for each of its values.
    for (const each of typeof value === 'object' ? value : [value]) {
      if (each !== undefined) params.append(name, String(each))
    }
  }
  return params.size === 0 ? path : `${path}?${params.toString()}`
}

function scopeOf(type: ResourceType, namespace: string | undefined): string | undefined {
  if (!type.namespaced) return undefined
  // An empty namespace would silently address the whole cluster.
  if (namespace === undefined || namespace === '') throw new TypeError(`a ${type.kind} needs a namespace`)
  return namespace
}
