/** Finds changes by hand on the object server, which no watch shows: the resync checks them by reads only. */
import { readyOf } from '../../kinds/meta/conditions.ts'
import { isExternal, isObjectServer, effectiveStoreSpec } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { accessKeyOf, policyNameOf } from '../../kinds/object-stores/names.ts'
import { samePolicy, minioPolicy } from '../../kinds/object-stores/bucket-policy.ts'
import { storedBuckets } from '../../kinds/object-stores/stored-buckets.ts'
import { listBuckets } from '../../outside/minio/buckets.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { objectServerOf, onServer, type ServerSession } from './server-session.ts'

/** Stores that are checked at the same time: the server answers in a few milliseconds. */
const askedAtOnce = 8

/**
 * Ready stores whose buckets, user or policy on the server are not as svc made them; an incomplete list if the server
 * stops answering meanwhile.
 */
export async function lostOnServer(needs: ActivityNeeds): Promise<ObjectStore[]> {
  const server = objectServerOf(needs)
  const ready = needs.objectStores.cache.list().filter(isReadyBucket)
  if (server === undefined || ready.length === 0) return []
  const lost: ObjectStore[] = []
  await onServer(needs, server, async (session) => {
    const there = new Set(await listBuckets(session.s3, ''))
    const waitingStores = ready.values()
    const askNext = async (): Promise<void> => {
      for (const store of waitingStores) if (!(await isWhole(session, store, there))) lost.push(store)
    }
    await Promise.all(Array.from({ length: askedAtOnce }, askNext))
    return undefined
  })
  return lost
}

function isReadyBucket({ metadata, spec, status }: ObjectStore): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    !isObjectServer(spec) &&
    !isExternal(spec) &&
    readyOf(status?.conditions)?.status === 'True'
  )
}

async function isWhole({ admin }: ServerSession, store: ObjectStore, there: ReadonlySet<string>): Promise<boolean> {
  const { name } = store.metadata
  const buckets = storedBuckets(effectiveStoreSpec(store) ?? store.spec)
  if (!buckets.every((bucket) => there.has(bucket))) return false
  const user = await admin.readUser(accessKeyOf(name))
  if (user?.enabled !== true || user.policies.join() !== policyNameOf(name)) return false
  return samePolicy(await admin.readPolicy(policyNameOf(name)), minioPolicy(buckets))
}
