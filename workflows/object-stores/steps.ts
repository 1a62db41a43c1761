/** The steps of an object store's story, by its shape: the server of the cluster, a bucket on it, or buckets in a cloud account. */

import type { ActivityInterfaceFor } from '@temporalio/workflow'
import type { createObjectStoreActivities } from '../../activities/object-stores/activities.ts'
import type { Step } from '../provision.ts'
import { remoteRemovals, remoteSteps } from './remote-steps.ts'

type Told = (summary: string) => ActivityInterfaceFor<ReturnType<typeof createObjectStoreActivities>>

/** In order: a later one builds on what the earlier made. */
export function storeSteps(told: Told, variant: string): readonly Step[] {
  if (variant === 'server') return serverSteps(told)
  return variant === 'local' ? bucketSteps(told) : remoteSteps(told)
}

export function storeRemovals(told: Told, variant: string): readonly Step[] {
  if (variant === 'server') return serverRemovals(told)
  return variant === 'local' ? bucketRemovals(told) : remoteRemovals(told)
}

const serverSteps = (told: Told): readonly Step[] => [
  told('Make the root login').makeServerRoot,
  told('Read the node tags, once').placeObjectServer,
  told('Install the server').applyObjectServer,
  told('Wait for the server to answer').awaitServerAnswer,
  told('Write the connection Secret').tellServerConnection,
]

const bucketSteps = (told: Told): readonly Step[] => [
  told('Wait for the environment').awaitStorePlace,
  told('Wait for the name of the bucket').awaitStoreBucketName,
  told('Wait for the object server').awaitObjectServer,
  told('Make the keys').makeStoreKeys,
  told('Make the buckets').makeStoreBuckets,
  told('Make the user and its policy').makeStoreUser,
  told('Remove empty buckets that left the list').dropFormerBuckets,
  told('Write the connection Secret').tellStoreConnection,
]

const serverRemovals = (told: Told): readonly Step[] => [
  told('Wait for the buckets to go').awaitNoBuckets,
  told('Remove the server and its volume').removeServerObjects,
  told('Remove its Secrets').removeServerSecrets,
  told('Wait for the server to stop').awaitServerGone,
]

const bucketRemovals = (told: Told): readonly Step[] => [
  told('Take the access away').closeStoreAccess,
  told('Remove the buckets with all that is in them').removeStoreBuckets,
  told('Remove the Secrets').removeStoreSecrets,
]
