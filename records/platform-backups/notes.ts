/** Sentences for the operator about what a restore cannot do by itself. */
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { type BackupEntry, recordKindOf } from '../../kinds/platform-backups/entry.ts'
import { draftFirst } from './brought-back.ts'

/** The notes for a record that was started; none for one that needs nothing more. */
export async function restoreNotes(client: ClusterClient, entry: BackupEntry): Promise<string[]> {
  const kind = recordKindOf(entry.object)
  const { name } = entry.object.metadata
  if (!draftFirst(entry)) return []
  const record: unknown = entry.object
  if (kind === 'database') return ofDatabase(name, record as Database, entry.data) // the kind says it
  if (kind !== 'objectStore') return []
  const { spec } = record as ObjectStore
  if (spec.engine === 'Local' && spec.placement === 'InCluster')
    return spec.project === '' ? [] : ofBucket(name, entry.data)
  const live = await client.get<KubeObject>({
    type: resourceTypes.objectStore,
    namespace: systemNamespace,
    name,
  })
  const uid = live?.metadata.uid ?? ''
  return [`bucket ${name} is in a cloud: set the tag ${labels.owner} of its buckets and its user to ${uid}, then retry`]
}

function ofBucket(name: string, data: BackupEntry['data']): string[] {
  if (data !== undefined) return [`bucket ${name} begins with backup ${data.archive} of ${data.point}`]
  return [`bucket ${name} begins empty: no backup of it is outside of the old cluster`]
}

function ofDatabase(name: string, { spec }: Database, data: BackupEntry['data']): string[] {
  if (spec.placement !== 'InCluster') return []
  if (data !== undefined) return [`database ${name} begins with backup ${data.archive} of ${data.point}`]
  return [`database ${name} begins empty: no backup of it is outside of the old cluster`]
}
