/** Saves the bucket into which a backup is restored: a new one, with new keys. */
import { storedBucketNameMax } from '../../contract/limits.ts'
import { refuse } from '../../contract/problem.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { backedKind, backedNouns } from '../../kinds/backup-archives/rules.ts'
import { isExternal } from '../../kinds/object-stores/draft.ts'
import { type ObjectStore, type ObjectStoreSpec, objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import { bucketPrefix } from '../../kinds/object-stores/names.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { DeployRequest } from '../../kinds/provision/deploy-request.ts'
import { recordsOf } from '../place/records-of.ts'
import { createStore } from './create-store.ts'
import type { StoreNeeds } from './needs.ts'

/**
 * Its buckets have the names of the backed-up ones, with a number where a name is taken in the environment. Throws
 * Problem invalid_request for a backup of another kind.
 */
export async function restoreStore(
  needs: StoreNeeds,
  archive: BackupArchive,
  request: DeployRequest,
): Promise<ObjectStore> {
  const { project, environment, buckets = [] } = archive.spec
  const kind = backedKind(archive.spec)
  if (kind !== 'ObjectStore') throw refuse(`the backup is of a ${backedNouns[kind]}, not of a bucket`)
  const place = { project, environment }
  const there = await recordsOf<ObjectStore>(needs.client, needs.objectStores, resourceTypes.objectStore, place)
  const taken = there.flatMap(({ spec }) => (isExternal(spec) ? [] : spec.buckets))
  const spec: ObjectStoreSpec = {
    ...objectStoreSpec.parse({ ...place, engine: 'Local', placement: 'InCluster' }),
    buckets: freeNames(buckets, taken, storedBucketNameMax - bucketPrefix(place).length),
    restoreFrom: { archive: archive.metadata.name },
  }
  return createStore(needs, undefined, spec, request, true)
}

/** `media`, or else `media-2`, `media-3` and so on, of at most `longest` characters. */
export function freeNames(wanted: readonly string[], taken: readonly string[], longest: number): string[] {
  const used = new Set(taken)
  return wanted.map((name) => {
    let free = name
    for (let count = 2; used.has(free); count += 1) {
      const end = `-${count}`
      free = `${name.slice(0, longest - end.length).replace(/[.-]+$/, '')}${end}`
    }
    used.add(free)
    return free
  })
}
