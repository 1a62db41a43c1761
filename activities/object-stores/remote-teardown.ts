/**
 * Removes a remote store at AWS: its keys first, so that all writes stop, then buckets, policy and user. An object that
 * is gone already counts as removed.
 */
import { isAbandoned } from '../../kinds/provision/abandon.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { ownerOfTags, ownerTags, policyName, staysAtAws } from '../../kinds/object-stores/remote.ts'
import type { AwsAccount } from '../../outside/aws/account.ts'
import { deleteBucket, emptyPage, isEmpty, lookAtBucket, tagBucket } from '../../outside/aws/buckets.ts'
import { deleteKeys, deleteUser, lookAtUser } from '../../outside/aws/users.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { recordAbandoned } from '../provision/abandoned.ts'
import { awaitCutOffCalls } from '../provision/cut-off-calls.ts'
import { removeConnectionSecret } from '../kube/connection-secret.ts'
import { failing, type Pass, type Unmet, waiting } from '../provision/step.ts'
import { inAccount, type RemoteNeeds, type RemoteWork } from './remote-account.ts'

/**
 * Skips a store whose status has no account, since nothing was created for it. For an abandoned store an Event names
 * what stays at AWS, and AWS is not called.
 */
const atAws = (needs: RemoteNeeds, work: RemoteWork): Pass<ObjectStore> => {
  const pass = inAccount(needs, work)
  return async (store) => {
    if (store.status?.remote === undefined) return undefined
    if (!isAbandoned(store)) return pass(store)
    await recordAbandoned(needs, store, staysAtAws(store))
    return undefined
  }
}

export const closeRemote = (needs: RemoteNeeds): Pass<ObjectStore> =>
  atAws(needs, async (account, store) => {
    const user = await ownUser(account, store)
    if (user !== undefined) await deleteKeys(account, user)
    return undefined
  })

/**
 * Removes only buckets that were created for this store and are still its own; if `createBucket` is off now, they stay
 * and lose only the owner tags.
 */
export const emptyRemote = (needs: RemoteNeeds): Pass<ObjectStore> =>
  atAws(needs, async (account, store, spec) => {
    const until = needs.now().getTime() + needs.emptyingMs
    for (const bucket of store.status?.remote?.made ?? []) {
      const look = await lookAtBucket(account, bucket)
      if (look.found === 'closed')
        return failing(`bucket ${bucket} was made for this store, and the cloud connection may not look at it any more`)
      if (look.found === 'absent' || !(await isOwn(account, store, bucket, look.tags))) continue
      const unmet = spec.createBucket
        ? await removeBucket(account, bucket, () => needs.now().getTime() < until)
        : await tagBucket(account, bucket, without(look.tags, Object.keys(ownerTags(store))))
      if (unmet !== undefined) return unmet
    }
    return undefined
  })

/** Whether the tag names the store. An empty, untagged bucket is its own, too: its creation was interrupted. */
async function isOwn(
  account: AwsAccount,
  { metadata }: ObjectStore,
  bucket: string,
  tags: Readonly<Record<string, string>>,
): Promise<boolean> {
  const owner = ownerOfTags(tags)
  return owner === undefined ? isEmpty(account, bucket) : owner.uid === metadata.uid
}

export const removeRemoteUser = (needs: RemoteNeeds): Pass<ObjectStore> =>
  atAws(needs, async (account, store) => {
    const user = await ownUser(account, store)
    if (user !== undefined) await deleteUser(account, user, policyName)
    return undefined
  })

/** The steps above are repeated after this wait. A store whose status has no account has made no call. */
export const awaitCalls =
  (needs: Pick<RemoteNeeds, 'cloudSettleMs' | 'now'>): Pass<ObjectStore> =>
  async (store) =>
    isAbandoned(store) || store.status?.remote === undefined ? undefined : awaitCutOffCalls(needs, store, 'AWS')

export const removeRemoteSecret =
  ({ client }: Pick<RemoteNeeds, 'client'>): Pass<ObjectStore> =>
  async (store) => {
    await removeConnectionSecret(client, store)
    return undefined
  }

/** Empties and deletes a bucket; if that takes longer than one pass, the next pass goes on with it. */
async function removeBucket(account: AwsAccount, bucket: string, mayGoOn: () => boolean): Promise<Unmet | undefined> {
  while ((await emptyPage(account, bucket)) > 0)
    if (!mayGoOn()) return waiting(`waiting for bucket ${bucket} to be emptied`)
  try {
    await deleteBucket(account, bucket)
    return undefined
  } catch (error) {
    // Another writer, with rights of its own, has written an object meanwhile.
    if (error instanceof UpstreamError && error.code === 'BucketNotEmpty')
      return waiting(`waiting for bucket ${bucket} to be emptied`)
    throw error
  }
}

/** Name of the store's user at AWS; undefined if the user is gone or has another owner. */
async function ownUser(account: AwsAccount, { metadata, status }: ObjectStore): Promise<string | undefined> {
  const user = status?.remote?.user ?? ''
  const tags = await lookAtUser(account, user)
  return tags !== undefined && ownerOfTags(tags)?.uid === metadata.uid ? user : undefined
}

function without(tags: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).filter(([name]) => !names.includes(name)))
}
