/**
 * The steps that create a bucket on the object server: its keys, the bucket, the user and policy, and the connection
 * Secret.
 */
import { randomBytes } from 'node:crypto'
import { connectionPurpose, connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { effectiveStoreSpec } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore, ObjectStoreSpec } from '../../kinds/object-stores/kind.ts'
import { accessKeyOf, ownerTag, policyNameOf, serverEndpoint, userSecretName } from '../../kinds/object-stores/names.ts'
import { samePolicy, minioPolicy } from '../../kinds/object-stores/bucket-policy.ts'
import { storedBuckets } from '../../kinds/object-stores/stored-buckets.ts'
import { homeOf, placeLabels } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import {
  bucketTags,
  createBucket,
  deleteEmptyBucket,
  isBucketEmpty,
  reachesBucket,
  tagBucket,
} from '../../outside/minio/buckets.ts'
import { connectS3, type MinioS3 } from '../../outside/minio/s3.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { keepSecret, makeSecretOnce, type OwnSecret, readOwnSecret } from '../kube/own-secret.ts'
import { failing, type Pass, type Unmet, waiting } from '../provision/step.ts'
import { writeStatus } from '../kube/write-status.ts'
import { listStores, objectServerOf, onServer, type ServerSession } from './server-session.ts'

/** 40 hexadecimal characters: the most that the server accepts. */
const secretBytes = 20

/** The Secret with the bucket's keys; in svc-system, where users of the environment cannot change it. */
export const keysOf = ({ metadata: { name, uid = '' }, spec }: ObjectStore): OwnSecret => ({
  name: userSecretName(name),
  namespace: systemNamespace,
  owner: uid,
  purpose: connectionPurpose,
  labels: placeLabels(spec),
})

export const connectionOf = ({ metadata: { name, uid = '' }, spec }: ObjectStore): OwnSecret => ({
  name: connectionSecretName(name),
  namespace: homeOf(spec),
  owner: uid,
  purpose: connectionPurpose,
  labels: placeLabels(spec),
})

/** Creates the keys once. Lost ones are restored from the connection Secret, so that running services keep access. */
export const makeKeys =
  ({ client }: ActivityNeeds): Pass<ObjectStore> =>
  async (store) => {
    const wanted = accessKeyOf(store.metadata.name)
    await makeSecretOnce(client, keysOf(store), async () => {
      const { accessKey, secretKey = '' } = (await readOwnSecret(client, connectionOf(store)))?.values ?? {}
      const kept = accessKey === wanted && /^[0-9a-f]{40}$/.test(secretKey)
      return { accessKey: wanted, secretKey: kept ? secretKey : randomBytes(secretBytes).toString('hex') }
    })
    return undefined
  }

/** Writes the buckets to the status before it creates them, so that none is forgotten if the worker is killed. */
export const makeBuckets =
  (needs: ActivityNeeds): Pass<ObjectStore> =>
  async (store) => {
    const wanted = storedBuckets(specOf(store))
    await noteBuckets(needs, store, [...new Set([...(store.status?.buckets ?? []), ...wanted])])
    return onOwnServer(needs, async ({ s3 }) => {
      for (const bucket of wanted) {
        const unmet = await makeBucket(needs, s3, bucket, store.metadata.uid ?? '')
        if (unmet !== undefined) return unmet
      }
      return undefined
    })
  }

async function noteBuckets(
  { client, objectStores }: ActivityNeeds,
  store: ObjectStore,
  buckets: string[],
): Promise<void> {
  await writeStatus(client, objectStores, resourceTypes.objectStore, store, { buckets })
}

/**
 * Creates and tags a bucket. An empty, untagged bucket counts as its own: an earlier pass died before the tag. So does
 * an empty one of a store that is gone: a pass that was cut off made it after the removal, and died.
 */
async function makeBucket(
  needs: ActivityNeeds,
  s3: MinioS3,
  bucket: string,
  owner: string,
): Promise<Unmet | undefined> {
  const tags = await bucketTags(s3, bucket)
  const tagged = tags?.[ownerTag]
  if (tagged === owner) return undefined
  if (tags === undefined) await createBucket(s3, bucket)
  else if ((tagged !== undefined && (await isStore(needs, tagged))) || !(await isBucketEmpty(s3, bucket)))
    return failing(`the bucket ${bucket} on the MinIO server belongs to another owner`)
  await tagBucket(s3, bucket, { [ownerTag]: owner })
  return undefined
}

async function isStore(needs: ActivityNeeds, uid: string): Promise<boolean> {
  return (await listStores(needs)).some(({ metadata }) => metadata.uid === uid)
}

/** Writes policy and user, unless both are as wanted and the keys open every bucket. */
export const makeUser =
  (needs: ActivityNeeds): Pass<ObjectStore> =>
  async (store) => {
    const { accessKey = '', secretKey = '' } = (await readOwnSecret(needs.client, keysOf(store)))?.values ?? {}
    if (accessKey === '' || secretKey === '') return waiting('credentials of the bucket unavailable')
    const buckets = storedBuckets(specOf(store))
    const policy = policyNameOf(store.metadata.name)
    return onOwnServer(needs, async ({ admin, endpoint }) => {
      const wanted = minioPolicy(buckets)
      if (!samePolicy(await admin.readPolicy(policy), wanted)) await admin.putPolicy(policy, wanted)
      const user = await admin.readUser(accessKey)
      const known = user?.enabled === true && user.policies.length === 1 && user.policies[0] === policy
      if (known && (await reachesAll({ endpoint, accessKey, secretKey }, buckets))) return undefined
      await admin.putUser(accessKey, secretKey)
      await admin.setPolicy(accessKey, policy)
      return undefined
    })
  }

async function reachesAll(login: Parameters<typeof connectS3>[0], buckets: readonly string[]): Promise<boolean> {
  const s3 = connectS3(login)
  try {
    for (const bucket of buckets) if (!(await reachesBucket(s3, bucket))) return false
    return true
  } finally {
    s3.end()
  }
}

/** Deletes buckets that are no longer in the spec if they are empty; others stay until the store is deleted. */
export const dropFormerBuckets =
  (needs: ActivityNeeds): Pass<ObjectStore> =>
  async (store) => {
    const wanted = storedBuckets(specOf(store))
    const former = (store.status?.buckets ?? []).filter((bucket) => !wanted.includes(bucket))
    if (former.length === 0) return undefined
    const kept: string[] = []
    const unmet = await onOwnServer(needs, async ({ s3 }) => {
      for (const bucket of former) {
        const isOurs = async () => (await bucketTags(s3, bucket))?.[ownerTag] === store.metadata.uid
        if (await isOurs()) await deleteEmptyBucket(s3, bucket)
        if (await isOurs()) kept.push(bucket)
      }
      return undefined
    })
    if (unmet === undefined) await noteBuckets(needs, store, [...wanted, ...kept])
    return unmet
  }

/**
 * Writes the connection Secret in the namespace of the environment: keys `endpoint`, `accessKey`, `secretKey`, `bucket`
 * (docs/reference/object-stores.md#connection-secret).
 */
export const writeConnection =
  ({ client }: ActivityNeeds): Pass<ObjectStore> =>
  async (store) => {
    const { accessKey = '', secretKey = '' } = (await readOwnSecret(client, keysOf(store)))?.values ?? {}
    if (accessKey === '' || secretKey === '') return waiting('credentials of the bucket unavailable')
    const [bucket = ''] = storedBuckets(specOf(store))
    await keepSecret(client, connectionOf(store), { endpoint: serverEndpoint, accessKey, secretKey, bucket })
    return undefined
  }

const specOf = (store: ObjectStore): ObjectStoreSpec => effectiveStoreSpec(store) ?? store.spec

async function onOwnServer(
  needs: ActivityNeeds,
  work: (session: ServerSession) => Promise<Unmet | undefined>,
): Promise<Unmet | undefined> {
  const server = objectServerOf(needs)
  return server === undefined
    ? waiting('Set up the MinIO server in cluster settings first')
    : onServer(needs, server, work)
}
