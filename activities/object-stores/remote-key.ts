/**
 * The one access key of a remote store: created, stored in the connection Secret by the same activity, and tested.
 */
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { effectiveStoreSpec } from '../../kinds/object-stores/draft.ts'
import { endpointOf, userNameOf } from '../../kinds/object-stores/remote.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { createKey, deleteKey, listKeys } from '../../outside/aws/users.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { readConnectionSecret, writeConnectionSecret } from '../kube/connection-secret.ts'
import { type Pass, waiting } from '../provision/step.ts'
import { writeStatus } from '../kube/write-status.ts'
import { inAccount, type RemoteNeeds } from './remote-account.ts'

/**
 * 1. Reads the keys at AWS, and the one in the Secret. 2. Deletes every key that is not in the Secret, since the answer
 * with its secret part was lost. 3. Without a key in the Secret, creates one and writes it there. If the worker dies in
 * between, the next pass deletes the unknown key in step 2, so that one key remains.
 */
export const reconcileKey = (needs: RemoteNeeds): Pass<ObjectStore> =>
  inAccount(needs, async (account, store, spec) => {
    const { client, clouds, objectStores } = needs
    const user = userNameOf(store.metadata.name)
    const { accessKey = '', secretKey = '' } = (await readConnectionSecret(client, store)) ?? {}
    const keys = await listKeys(account, user)
    const known = secretKey !== '' && keys.includes(accessKey)
    for (const key of keys) if (!known || key !== accessKey) await deleteKey(account, user, key)
    const { accessKeyId, secretAccessKey } = known
      ? { accessKeyId: accessKey, secretAccessKey: secretKey }
      : await createKey(account, user)
    const endpoint = clouds.aws.endpoint ?? endpointOf(account.region)
    const bucket = spec.buckets[0] ?? store.metadata.name
    await writeConnectionSecret(client, store, { endpoint, accessKey: accessKeyId, secretKey: secretAccessKey, bucket })
    if (store.status?.endpoint !== endpoint)
      await writeStatus(client, objectStores, resourceTypes.objectStore, store, { endpoint })
    return undefined
  })

/**
 * Waits until the store's own key opens its buckets: at AWS a new key or policy takes effect after some seconds.
 */
export const proveKey =
  (needs: RemoteNeeds): Pass<ObjectStore> =>
  async (store) => {
    const { accessKey = '', secretKey = '' } = (await readConnectionSecret(needs.client, store)) ?? {}
    return inAccount(needs, async ({ region }) => {
      const account = needs.clouds.aws.account({ accessKeyId: accessKey, secretAccessKey: secretKey }, region)
      try {
        for (const bucket of (effectiveStoreSpec(store) ?? store.spec).buckets)
          await account.s3((s3) => s3.headBucket({ Bucket: bucket }))
        return undefined
      } catch (error) {
        if (error instanceof UpstreamError && error.status === 403)
          return waiting('waiting for AWS to let the key of the store in')
        throw error
      } finally {
        account.close()
      }
    })(store)
  }
