/** Accepts the deploy of a bucket, and refuses stores that cannot be deployed. */
import { refuse } from '../../contract/problem.ts'
import { isExternal, isObjectServer } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore, ObjectStoreSpec } from '../../kinds/object-stores/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { type Asked, deployRecord, mintDeployRequest, found } from '../store/edit-record.ts'
import { refuseConnection } from '../secrets/connection-ref.ts'
import { recordsOf } from '../place/records-of.ts'
import type { StoreNeeds } from './needs.ts'

/** One conditional write of the record; its workflow does the rest. Throws Problem not_found, invalid_request. */
export async function deployStore(
  needs: StoreNeeds,
  name: string,
  asked: Asked,
  ifMatch?: string,
): Promise<ObjectStore> {
  // Read live: another replica may have saved another bucket or connection a moment ago.
  const store = found('bucket', await needs.objectStores.readLive(name))
  refuseUndeployable(store)
  await refuseStore(needs, store)
  return deployRecord<ObjectStoreSpec, ObjectStore>(
    needs.objectStores,
    'bucket',
    name,
    mintDeployRequest(asked, needs.now()),
    refuseUndeployable,
    ifMatch,
  )
}

/** Throws Problem invalid_request. */
export function refuseUndeployable({ metadata, spec }: ObjectStore): void {
  if (metadata.deletionTimestamp !== undefined) throw refuse('the bucket is being deleted')
  if (isObjectServer(spec)) throw refuse('the object server of the cluster runs without a deploy')
  if (spec.buckets.length === 0) throw refuse('set a bucket name in settings before you deploy')
}

/** Throws Problem invalid_request for a connection the store may not use, and for a bucket that another store has. */
export async function refuseStore(
  needs: Pick<StoreNeeds, 'client' | 'cloudConnection' | 'objectStores'>,
  { metadata, spec }: ObjectStore,
): Promise<void> {
  const { name } = spec.connectionRef
  if (isExternal(spec)) {
    if (name === '') throw refuse('connectionRef is required for a remote store')
    await refuseConnection(needs, name, { project: spec.project, provider: 'AWS' })
    return
  }
  if (spec.buckets.length === 0) return
  const there = await recordsOf<ObjectStore>(needs.client, needs.objectStores, resourceTypes.objectStore, spec)
  const other = there.find(
    (each) => each.metadata.name !== metadata.name && !isExternal(each.spec) && sharesBucket(each.spec, spec),
  )
  if (other !== undefined) throw refuse(`another bucket of this environment has this name: ${other.metadata.name}`)
}

const sharesBucket = (a: ObjectStoreSpec, b: ObjectStoreSpec): boolean =>
  a.buckets.some((bucket) => b.buckets.includes(bucket))
