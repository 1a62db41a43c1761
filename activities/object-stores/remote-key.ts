/**
 * The one access key of a remote store: made, kept in the connection Secret within the same activity, and proved to
 * work.
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
 * 1. The keys at AWS, and the one in the Secret. 2. Every key that is not in the Secret is deleted: the answer that had
 * its secret was lost. 3. Without one in the Secret, one is made and written there. Dying between these two leads back
 * to 2, so there is one key, and a second with a lost secret lasts no longer than that.
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
 * A new key or policy takes some seconds to count everywhere at AWS: the store is ready once its own key opens its
 * buckets.
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
