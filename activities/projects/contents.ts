/** What lives in an environment: services, databases, logical databases, buckets and tokens, and how it is taken away. */

import type { KubeObject } from '../../cluster/object.ts'
import { coreTypes } from '../../cluster/resource-type.ts'
import { labels } from '../../kinds/annotations.ts'
import { readyOf } from '../../kinds/conditions.ts'
import { systemNamespace } from '../../kinds/group.ts'
import { namespaceOf } from '../../kinds/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { Provisioned } from '../../kinds/provision-plan.ts'
import { authLabel } from '../../records/auth-secret.ts'
import type { RecordStore } from '../../records/record-store.ts'
import type { ActivityNeeds } from '../needs.ts'

const mostNamed = 3

interface Contents {
  what: string
  /** Every record of an environment, whose key is its namespace. */
  of: (index: 'project' | 'environment', key: string) => readonly Provisioned[]
  /** Asks everything in an environment to go; what is left of it. */
  clear: (place: string) => Promise<readonly Provisioned[]>
}

function contents<T extends KubeObject & Provisioned>({ cache, remove, readLive }: RecordStore<T>, what: string): Contents {
  return {
    what,
    of: (index, key) => cache.by(index, key),
    clear: async (place) => {
      for (const record of cache.by('environment', place)) {
        const { name, uid = '', deletionTimestamp } = record.metadata
        if (deletionTimestamp !== undefined) continue
        await remove(name, uid)
        // One without a finalizer is gone by now; one with it is awaited by what the watch says.
        if ((await readLive(name)) === undefined) cache.forget(record)
      }
      return cache.by('environment', place)
    },
  }
}

/** In the order of their going: services before what they use, logical databases before the servers that they are on. */
const contentsOf = (needs: ActivityNeeds): readonly Contents[] => [
  contents(needs.apps, 'service'),
  contents(needs.logicalDatabases, 'logical database'),
  contents(needs.databases, 'database'),
  contents(needs.objectStores, 'bucket'),
]

/** Asks everything in an environment to go; '' when nothing is left, else what is awaited. */
export async function clearContents(needs: ActivityNeeds, project: Project, environment: string): Promise<string> {
  await revokeTokens(needs, project, environment)
  const place = namespaceOf(project.metadata.name, environment)
  for (const { what, clear } of contentsOf(needs)) {
    const left = await clear(place)
    if (left.length > 0) return `waiting for ${left.length} ${what}${left.length === 1 ? '' : 's'} of environment ${environment} to be removed: ${named(left)}`
  }
  return ''
}

/** The first few by name, each with what its own removal waits for. */
function named(left: readonly Provisioned[]): string {
  const told = left.slice(0, mostNamed).map(({ metadata, status }) => {
    const ready = readyOf(status?.conditions)
    return ready?.reason === 'Deleting' ? `${metadata.name} (${ready.message})` : metadata.name
  })
  return [...told, ...(left.length > mostNamed ? ['and others'] : [])].join(', ')
}

/** Environments that something lives in, whether the project lists them or not. */
export function filledEnvironments(needs: ActivityNeeds, project: Project): string[] {
  const records = contentsOf(needs).flatMap(({ of }) => of('project', project.metadata.name))
  return [...new Set(records.map(({ spec }) => spec.environment))].filter((environment) => environment !== '')
}

/** A token must not open an environment of the same name that is made later. */
async function revokeTokens(needs: ActivityNeeds, project: Project, environment: string): Promise<void> {
  const labelSelector = `${authLabel}=token,${labels.project}=${project.metadata.name},${labels.environment}=${environment}`
  const { items } = await needs.client.list<KubeObject>(coreTypes.secret, { namespace: systemNamespace, labelSelector, metadataOnly: true })
  await Promise.all(items.map(({ metadata: { name } }) => needs.client.delete({ type: coreTypes.secret, namespace: systemNamespace, name })))
}
