/** Which types the API server serves now. */
import { z } from 'zod'
import { parsedBy } from '../contract/json/parsed-by.ts'
import type { ClusterClient } from './objects/cluster-client.ts'
import { isNotFound } from './objects/errors.ts'
import type { ResourceType } from './objects/resource-type.ts'

export interface Discovery {
  /** Whether the API server serves this type; at most 30 s old. Throws ClusterError when it does not answer. */
  hasType(type: ResourceType): Promise<boolean>
}

/** The APIResourceList of the discovery API. */
const resourceList = z.object({ resources: z.array(z.object({ name: z.string() })) })

/** A newly installed API is noticed after this time. */
const keptMs = 30_000

export function createDiscovery(client: Pick<ClusterClient, 'raw'>): Discovery {
  const known = new Map<string, { plurals: Promise<Set<string>>; until: number }>()

  async function read(path: string): Promise<Set<string>> {
    try {
      const list = parsedBy(resourceList, await client.raw('GET', path))
      if (list === undefined) throw new Error(`the API server answers ${path} with something else than its resources`)
      return new Set(list.resources.map((resource) => resource.name))
    } catch (error) {
      if (isNotFound(error)) return new Set()
      known.delete(path)
      throw error
    }
  }

  return {
    async hasType({ group, version, plural }) {
      const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
      let entry = known.get(path)
      if (entry === undefined || entry.until <= performance.now()) {
        entry = { plurals: read(path), until: performance.now() + keptMs }
        known.set(path, entry)
      }
      return (await entry.plurals).has(plural)
    },
  }
}
