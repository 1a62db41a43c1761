/** Buckets and the object server as callers make them over HTTP, in a project of their own. */
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { useDataWorld } from './data-world.ts'
import type { Answer } from './test-api.ts'

/** For the tests of a `describe`, as `useDataWorld`. */
export function useBuckets() {
  const world = useDataWorld()
  return {
    world,
    place: () => ({ project: world.project, environment: 'production' }),
    ref: (name: string) => ({ type: resourceTypes.objectStore, namespace: systemNamespace, name }),
    record: async (name: string): Promise<ObjectStore> => {
      const found = await world.record<ObjectStore>('objectStore', name)
      if (found === undefined) throw new Error(`no store ${name}`)
      return found
    },
    /** The sentence with which the creation of such a bucket is refused. */
    refusalOf: async (fields: object): Promise<unknown> =>
      (await world.ask('POST', '/object-stores', fields)).body.error,
    deploy: (name: string): Promise<Answer> => world.ask('POST', `/object-stores/${name}/deploy`, {}),
    remove: (name: string): Promise<Answer> =>
      world.api.ask('DELETE', `/api/v1/object-stores/${name}?confirmName=${name}`, world.cookie),
    resource: async (name: string) => (await world.ask('GET', `/object-stores/${name}`)).body.resource,
  }
}
