/**
 * The steps that remove a bucket on the object server: its access first, so that all writes stop, its data, its
 * Secrets.
 */
import { readyOf } from '../../kinds/meta/conditions.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { accessKeyOf, bucketPrefix, ownerTag, policyNameOf } from '../../kinds/object-stores/names.ts'
import { everStored } from '../../kinds/object-stores/stored-buckets.ts'
import { bucketTags, deleteEmptyBucket, deleteFullBucket, listBuckets } from '../../outside/minio/buckets.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { removedIfGone } from '../kube/if-gone.ts'
import { readOwnSecret, removeOwnSecret } from '../kube/own-secret.ts'
import type { Pass, Unmet } from '../provision/step.ts'
import { connectionOf, keysOf, makeUser } from './make-bucket.ts'
import { findObjectServer, onServer, type ServerSession } from './server-session.ts'

export const closeAccess =
  (needs: ActivityNeeds): Pass<ObjectStore> =>
  (store) =>
    whereMade(needs, store, async ({ admin }) => {
      const [user, policy] = [accessKeyOf(store.metadata.name), policyNameOf(store.metadata.name)]
      // The server refuses to remove a policy that a user has.
      if ((await admin.readUser(user)) !== undefined) await admin.removeUser(user)
      if ((await admin.readPolicy(policy)) !== undefined) await admin.removePolicy(policy)
      return undefined
    })

/** Whether the user of the bucket still exists on the server; `closed` also without a server. */
export async function readAccess(needs: ActivityNeeds, store: ObjectStore): Promise<'open' | 'closed' | Unmet> {
  let access: 'open' | 'closed' = 'closed'
  const unmet = await whereMade(needs, store, async ({ admin }) => {
    if ((await admin.readUser(accessKeyOf(store.metadata.name))) !== undefined) access = 'open'
    return undefined
  })
  return unmet ?? access
}

/** Deletes buckets with all objects, as the deletion was confirmed by name; only those tagged with the store's uid. */
export const removeBuckets =
  (needs: ActivityNeeds): Pass<ObjectStore> =>
  (store) =>
    whereMade(needs, store, async ({ s3 }) => {
      const others = new Set(
        needs.objectStores.cache
          .list()
          .flatMap((other) => (other.metadata.uid === store.metadata.uid ? [] : everStored(other))),
      )
      const there = (await listBuckets(s3, bucketPrefix(store.spec))).filter((bucket) => !others.has(bucket))
      for (const bucket of new Set([...everStored(store), ...there])) {
        if ((await bucketTags(s3, bucket))?.[ownerTag] === store.metadata.uid) await deleteFullBucket(s3, bucket)
      }
      return undefined
    })

/** The Secret with the keys goes last: it shows a later pass that the server may have something of the store. */
export const removeStoreSecrets =
  ({ client }: ActivityNeeds): Pass<ObjectStore> =>
  async (store) => {
    await removeOwnSecret(client, connectionOf(store))
    await removeOwnSecret(client, keysOf(store))
    return undefined
  }

/**
 * A pass that creates something: of a store that is gone by its end nothing stays, but what a bucket holds. User and
 * policy have the name of the store, so those of a new one are set right instead: the pass may have written over them.
 */
export const leavingNothing =
  (needs: ActivityNeeds, pass: Pass<ObjectStore>): Pass<ObjectStore> =>
  (store) =>
    removedIfGone(
      { record: store, store: needs.objectStores },
      () => pass(store),
      async () => {
        const readNext = () => needs.objectStores.readLive(store.metadata.name)
        if ((await readNext()) === undefined) await closeAccess(needs)(store)
        const next = await readNext()
        if (next !== undefined && next.metadata.deletionTimestamp === undefined) await makeUser(needs)(next)
        await removeEmptyBuckets(needs, store)
        await removeStoreSecrets(needs)(store)
      },
    )

const removeEmptyBuckets = (needs: ActivityNeeds, store: ObjectStore): Promise<Unmet | undefined> =>
  whereMade(needs, store, async ({ s3 }) => {
    for (const bucket of await listBuckets(s3, bucketPrefix(store.spec)))
      if ((await bucketTags(s3, bucket))?.[ownerTag] === store.metadata.uid) await deleteEmptyBucket(s3, bucket)
    return undefined
  })

/**
 * Runs the work on the object server; skips it without a server, or if the server is not ready and the store has no
 * keys yet, since nothing was created there then.
 */
async function whereMade(
  needs: ActivityNeeds,
  store: ObjectStore,
  work: (session: ServerSession) => Promise<Unmet | undefined>,
): Promise<Unmet | undefined> {
  const server = await findObjectServer(needs)
  if (server === undefined) return undefined
  const isReady = readyOf(server.status?.conditions)?.status === 'True'
  if (!isReady && (await readOwnSecret(needs.client, keysOf(store))) === undefined) return undefined
  return onServer(needs, server, work)
}
