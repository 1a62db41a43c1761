/**
 * Reads in a namespace that does not exist, by a login whose rights were bound in that namespace: the API server
 * answers 403 instead of 404.
 */
import type { ClusterClient } from './objects/cluster-client.ts'
import { ClusterError, isForbidden } from './objects/errors.ts'
import type { KubeObject } from './objects/object.ts'
import { coreTypes } from './objects/resource-type.ts'

/**
 * get, list and delete find nothing in a namespace that is gone. While a namespace is being deleted, its bindings may
 * be removed first: the calls then throw as if the API server did not answer, since what still exists cannot be known
 * and will soon be gone.
 */
export function withForbiddenAsNotFound<Client extends ClusterClient>(client: Client): Client {
  const inCase = async <R>(namespace: string | undefined, call: () => Promise<R>, nothing: R): Promise<R> => {
    try {
      return await call()
    } catch (error) {
      if (namespace === undefined || !isForbidden(error)) throw error
      const live = await client.get<KubeObject>({ type: coreTypes.namespace, name: namespace })
      if (live === undefined) return nothing
      if (live.metadata.deletionTimestamp === undefined) throw error
      throw new ClusterError(503, 'ServiceUnavailable', `namespace ${namespace} is being deleted`, { cause: error })
    }
  }
  return {
    ...client,
    get: (ref, options) => inCase(ref.namespace, () => client.get(ref, options), undefined),
    list: (type, query) => inCase(query?.namespace, () => client.list(type, query), { items: [], resourceVersion: '' }),
    delete: (ref, options) => inCase(ref.namespace, () => client.delete(ref, options), false),
  }
}
