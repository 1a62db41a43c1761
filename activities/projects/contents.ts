/** What lives in an environment: services, databases, logical databases, buckets and tokens, and how it is taken away. */

import type { KubeObject } from '../../cluster/object.ts'
import { coreTypes } from '../../cluster/resource-type.ts'
import { labels } from '../../kinds/annotations.ts'
import { systemNamespace } from '../../kinds/group.ts'
import { namespaceOf } from '../../kinds/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/resource-types.ts'
import { authLabel } from '../../records/auth-secret.ts'
import type { ActivityNeeds } from '../needs.ts'

/** In the order of their going: logical databases before the servers that they are on. */
const dataKinds = [
  ['logicalDatabases', resourceTypes.logicalDatabase, 'logical database'],
  ['databases', resourceTypes.database, 'database'],
  ['objectStores', resourceTypes.objectStore, 'bucket'],
] as const

/** Asks everything in an environment to go; '' when nothing is left, else what is awaited. */
export async function clearContents(needs: ActivityNeeds, project: Project, environment: string): Promise<string> {
  await revokeTokens(needs, project, environment)
  const place = namespaceOf(project.metadata.name, environment)
  const apps = needs.apps.cache.by('environment', place)
  for (const app of apps) {
    if (app.metadata.deletionTimestamp === undefined) await needs.apps.remove(app.metadata.name, app.metadata.uid ?? '')
  }
  if (apps.length > 0) return awaited(apps.length, 'service', environment)
  for (const [cache, type, what] of dataKinds) {
    const records = needs.data[cache].by('environment', place)
    for (const record of records) {
      const { name, uid, deletionTimestamp } = record.metadata
      if (deletionTimestamp !== undefined) continue
      await needs.client.delete({ type, namespace: systemNamespace, name }, { ...(uid === undefined ? {} : { uid }), propagation: 'Background' })
      // One without a finalizer is gone by now; one with it is awaited by what the watch says.
      if ((await needs.client.get({ type, namespace: systemNamespace, name })) === undefined) needs.data[cache].forget(record)
    }
    const left = needs.data[cache].by('environment', place).length
    if (left > 0) return awaited(left, what, environment)
  }
  return ''
}

/** Environments that something lives in, whether the project lists them or not. */
export function filledEnvironments(needs: ActivityNeeds, project: Project): string[] {
  const { name } = project.metadata
  const records = [...needs.apps.cache.by('project', name), ...dataKinds.flatMap(([cache]) => needs.data[cache].by('project', name))]
  return [...new Set(records.map(({ spec }) => spec.environment ?? ''))].filter((environment) => environment !== '')
}

/** A token must not open an environment of the same name that is made later. */
async function revokeTokens(needs: ActivityNeeds, project: Project, environment: string): Promise<void> {
  const labelSelector = `${authLabel}=token,${labels.project}=${project.metadata.name},${labels.environment}=${environment}`
  const { items } = await needs.client.list<KubeObject>(coreTypes.secret, { namespace: systemNamespace, labelSelector, metadataOnly: true })
  await Promise.all(items.map(({ metadata: { name } }) => needs.client.delete({ type: coreTypes.secret, namespace: systemNamespace, name })))
}

function awaited(count: number, what: string, environment: string): string {
  return `waiting for ${count} ${what}${count === 1 ? '' : 's'} of environment ${environment} to be removed`
}
