/** Which names are taken: the objects of services, databases and buckets of one environment share a namespace. */
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { sharedReads } from '../store/shared-reads.ts'
import type { Place, PlacedKind, PlacedNames } from './place.ts'

/** The records in the caches of a process. */
export interface KnownRecords {
  has(kind: PlacedKind, name: string): boolean
  in(kind: PlacedKind, place: Place): readonly KubeObject[]
}

const kinds = ['app', 'database', 'logicalDatabase', 'objectStore'] as const

type Placed = KubeObject & { spec: Partial<Place> }

interface Question {
  kind: PlacedKind
  name: string
  place: Place
}

export function createNames(client: ClusterClient, known: KnownRecords): PlacedNames {
  const isHeld = async ({ kind, name, place }: Question): Promise<boolean> => {
    const found = await client.get<Placed>({ type: resourceTypes[kind], namespace: systemNamespace, name })
    return (
      found !== undefined &&
      (found.spec.project ?? '') === place.project &&
      (found.spec.environment ?? '') === place.environment
    )
  }
  /** Lists by the labels that svc sets; records made without them come from the cache. */
  const namesIn = async ({ kind, place }: Question): Promise<ReadonlySet<string>> => {
    const { items } = await client.list(resourceTypes[kind], {
      namespace: systemNamespace,
      labelSelector: `${labels.project}=${place.project},${labels.environment}=${place.environment}`,
      metadataOnly: true,
    })
    const unlabelled = known.in(kind, place).filter(({ metadata }) => metadata.labels?.[labels.project] === undefined)
    return new Set([...items, ...unlabelled].map(({ metadata }) => metadata.name))
  }
  /** Names held by one kind in one place: a single name is read by itself, several at once by a list. */
  const held = sharedReads<Question, ReadonlySet<string>>(async (questions) => {
    const [first, ...more] = questions
    if (first === undefined) return new Set()
    if (more.length > 0) return namesIn(first)
    return new Set((await isHeld(first)) ? [first.name] : [])
  })
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
        others.map(async (each) => {
          // The empty project of the whole cluster cannot be used in a label selector.
          if (place.project === '') return isHeld({ kind: each, name, place })
          return (await held(`${each} ${place.project} ${place.environment}`, { kind: each, name, place })).has(name)
        }),
      )
      return found.includes(true)
    },
  }
}
