/** The IAM user of a remote store; its policy allows that store's buckets and nothing else. */
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { awsPolicy } from '../../kinds/object-stores/bucket-policy.ts'
import { ownerOfTags, ownerTags, policyName, userNameOf } from '../../kinds/object-stores/remote.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { AwsAccount } from '../../outside/aws/account.ts'
import { lookAtBucket } from '../../outside/aws/buckets.ts'
import { createUser, lookAtUser, putPolicy } from '../../outside/aws/users.ts'
import { failing, type Pass, waiting } from '../provision/step.ts'
import { writeStatus } from '../kube/write-status.ts'
import { inAccount, type RemoteNeeds } from './remote-account.ts'

/**
 * Writes connection and user to the status before anything is created in the account, so that a deletion finds it. A
 * store that has a user or a bucket in one account cannot move to another.
 */
export const noteRemote = (needs: RemoteNeeds): Pass<ObjectStore> =>
  inAccount(needs, async (account, store, spec) => {
    const { name } = spec.connectionRef
    const before = store.status?.remote
    if (before?.connection === name) return undefined
    if (before !== undefined && (await hasSomething(account, store))) {
      return failing(
        `the store was made with cloud connection ${before.connection} and cannot be moved to ${name === '' ? 'none' : name}`,
      )
    }
    const remote = { connection: name, user: userNameOf(store.metadata.name), made: [] }
    await writeStatus(needs.client, needs.objectStores, resourceTypes.objectStore, store, { remote })
    return undefined
  })

async function hasSomething(account: AwsAccount, { metadata, status }: ObjectStore): Promise<boolean> {
  const { user = '', made = [] } = status?.remote ?? {}
  const isOwn = (tags: Readonly<Record<string, string>>): boolean => ownerOfTags(tags)?.uid === metadata.uid
  const looks = await Promise.all(made.map((bucket) => lookAtBucket(account, bucket)))
  return (
    looks.some((look) => look.found === 'open' && isOwn(look.tags)) || isOwn((await lookAtUser(account, user)) ?? {})
  )
}

/** Creates the user; an existing one is used only with the store's owner tag. Then writes its policy. */
export const reconcileUser = (needs: RemoteNeeds): Pass<ObjectStore> =>
  inAccount(needs, async (account, store, spec) => {
    const user = userNameOf(store.metadata.name)
    let tags = await lookAtUser(account, user)
    if (tags === undefined) {
      await createUser(account, user, ownerTags(store))
      tags = await lookAtUser(account, user)
    }
    if (tags === undefined) return waiting(`waiting for user ${user} to appear`)
    if (ownerOfTags(tags)?.uid !== store.metadata.uid)
      return failing(`user ${user} exists and was not made for this store`)
    await putPolicy(account, user, policyName, awsPolicy(spec.buckets, account.region))
    return undefined
  })
