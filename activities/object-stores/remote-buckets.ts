/** Checks that the buckets of a remote store exist, in its region and without another owner; or creates them. */
import type { ObjectStore, ObjectStoreSpec } from '../../kinds/object-stores/kind.ts'
import { ownerOfTags, ownerTags } from '../../kinds/object-stores/remote.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { AwsAccount } from '../../outside/aws/account.ts'
import { type BucketLook, createBucket, isEmpty, lookAtBucket, tagBucket } from '../../outside/aws/buckets.ts'
import { failing, type Pass, type Unmet, waiting } from '../provision/step.ts'
import { writeStatus } from '../kube/write-status.ts'
import { inAccount, type RemoteNeeds } from './remote-account.ts'

/**
 * For each bucket: 1. Look it up. 2. If it does not exist, write its name to the status. 3. Create it with its tags.
 * 4. Look it up again, since another store may have created it. If the worker dies after 2 or 3, the status lets the
 * next pass recognize an untagged, empty bucket as the store's own.
 */
export const reconcileBuckets = (needs: RemoteNeeds): Pass<ObjectStore> =>
  inAccount(needs, async (account, found, spec) => {
    let store = found
    for (const bucket of spec.buckets) {
      let look = await lookAtBucket(account, bucket)
      if (look.found === 'absent' && spec.createBucket) {
        store = await noteMade(needs, store, (made) => [...made.filter((name) => name !== bucket), bucket])
        if ((await createBucket(account, bucket, ownerTags(store))) === 'taken') {
          store = await noteMade(needs, store, (made) => made.filter((name) => name !== bucket))
        }
        look = await lookAtBucket(account, bucket)
      }
      const unmet = await judge(account, store, spec, bucket, look)
      if (unmet !== undefined) return unmet
    }
    return undefined
  })

/** Accepts only the store's own buckets; if `createBucket` is off also untagged ones, which are used as they are. */
async function judge(
  account: AwsAccount,
  store: ObjectStore,
  spec: ObjectStoreSpec,
  bucket: string,
  look: BucketLook,
): Promise<Unmet | undefined> {
  if (look.found === 'closed')
    return failing(`bucket ${bucket} belongs to another account, or the cloud connection may not look at it`)
  if (look.found === 'absent') {
    return spec.createBucket
      ? waiting(`waiting for bucket ${bucket} to appear`)
      : failing(`bucket ${bucket} does not exist, and createBucket is off`)
  }
  const owner = ownerOfTags(look.tags)
  if (owner !== undefined && owner.uid !== store.metadata.uid)
    return failing(`bucket ${bucket} belongs to another store: ${owner.store}`)
  if (look.region !== '' && look.region !== account.region)
    return failing(`bucket ${bucket} is in region ${look.region}, not in ${account.region}`)
  if (owner !== undefined || !spec.createBucket) return undefined
  const noted = store.status?.remote?.made.includes(bucket) === true
  if (!noted || !(await isEmpty(account, bucket)))
    return failing(`bucket ${bucket} was not made for this store; turn createBucket off to use it as it is`)
  await tagBucket(account, bucket, { ...look.tags, ...ownerTags(store) })
  return undefined
}

async function noteMade(
  { client, objectStores }: RemoteNeeds,
  store: ObjectStore,
  change: (made: readonly string[]) => string[],
): Promise<ObjectStore> {
  const remote = store.status?.remote
  if (remote === undefined) throw new Error('a bucket is made before the store has noted its account')
  return writeStatus(client, objectStores, resourceTypes.objectStore, store, {
    remote: { ...remote, made: change(remote.made) },
  })
}
