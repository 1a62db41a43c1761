/**
 * The steps of an object store, by its shape: the server of the cluster, a bucket on it, or buckets in a cloud account.
 */

import type { ActivityInterfaceFor } from '@temporalio/workflow'
import type { createObjectStoreActivities } from '../../activities/object-stores/activities.ts'
import type { Step } from '../provision.ts'
import { remoteRemovals, remoteSteps } from './remote-steps.ts'

type Told = (summary: string) => ActivityInterfaceFor<ReturnType<typeof createObjectStoreActivities>>

/** In order: a later one builds on what the earlier made. */
export function storeSteps(activity: Told, variant: string): readonly Step[] {
  if (variant === 'server') return serverSteps(activity)
  return variant === 'local' ? bucketSteps(activity) : remoteSteps(activity)
}

export function storeRemovals(activity: Told, variant: string): readonly Step[] {
  if (variant === 'server') return serverRemovals(activity)
  return variant === 'local' ? bucketRemovals(activity) : remoteRemovals(activity)
}

const serverSteps = (activity: Told): readonly Step[] => [
  activity('Make the root login').makeServerRoot,
  activity('Read the node tags, once').placeObjectServer,
  activity('Install the server').applyObjectServer,
  activity('Wait for the server to answer').awaitServerAnswer,
  activity('Write the connection Secret').tellServerConnection,
]

const bucketSteps = (activity: Told): readonly Step[] => [
  activity('Wait for the environment').awaitStorePlace,
  activity('Wait for the name of the bucket').awaitStoreBucketName,
  activity('Wait for the object server').awaitObjectServer,
  activity('Make the keys').makeStoreKeys,
  activity('Make the buckets').makeStoreBuckets,
  activity('Make the user and its policy').makeStoreUser,
  activity('Remove empty buckets that left the list').dropFormerBuckets,
  activity('Write the connection Secret').tellStoreConnection,
]

const serverRemovals = (activity: Told): readonly Step[] => [
  activity('Wait for the buckets to go').awaitNoBuckets,
  activity('Remove the server and its volume').removeServerObjects,
  activity('Remove its Secrets').removeServerSecrets,
  activity('Wait for the server to stop').awaitServerGone,
]

const bucketRemovals = (activity: Told): readonly Step[] => [
  activity('Take the access away').closeStoreAccess,
  activity('Remove the buckets with all that is in them').removeStoreBuckets,
  activity('Remove the Secrets').removeStoreSecrets,
]
