/** Which names are taken where: objects of services, databases and buckets of one environment share a namespace. */

import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Place, PlacedKind, PlacedNames } from './place.ts'

/** What a process has in its caches. */
export interface KnownRecords {
  has(kind: PlacedKind, name: string): boolean
  in(kind: PlacedKind, place: Place): readonly KubeObject[]
}

const kinds = ['app', 'database', 'logicalDatabase', 'objectStore'] as const

type Placed = KubeObject & { spec: Partial<Place> }

export function createNames(client: ClusterClient, known: KnownRecords): PlacedNames {
  return {
    taken: (kind, name, place) =>
      known.has(kind, name) ||
      kinds.some((each) => known.in(each, place).some(({ metadata }) => metadata.name === name)),
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
