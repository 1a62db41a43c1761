/** Which names are taken where: objects of services, databases and buckets of one environment share a namespace. */
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Place, PlacedNames } from '../../records/place/place.ts'
import { byPlace, placeKey, type Caches } from './caches.ts'

const caching = {
  app: 'apps',
  database: 'databases',
  logicalDatabase: 'logicalDatabases',
  objectStore: 'objectStores',
} as const
const kinds = ['app', 'database', 'logicalDatabase', 'objectStore'] as const

type Placed = KubeObject & { spec: Partial<Place> }

export function createNames(client: ClusterClient, caches: Caches): PlacedNames {
  return {
    taken(kind, name, { project, environment }) {
      const there: readonly KubeObject[] = kinds.flatMap((each): readonly KubeObject[] =>
        caches[caching[each]].by(byPlace, placeKey(project, environment)),
      )
      return (
        caches[caching[kind]].get(name, systemNamespace) !== undefined ||
        there.some(({ metadata }) => metadata.name === name)
      )
    },
    async heldNow(kind, name) {
      return (await client.get({ type: resourceTypes[kind], namespace: systemNamespace, name })) !== undefined
    },
    async takenNow(kind, name, place) {
      const others = kinds.filter((each) => each !== kind)
      const found = await Promise.all(
        others.map((each) => client.get<Placed>({ type: resourceTypes[each], namespace: systemNamespace, name })),
      )
      return found.some(
        (other) =>
          other !== undefined &&
          (other.spec.project ?? '') === place.project &&
          (other.spec.environment ?? '') === place.environment,
      )
    },
  }
}
