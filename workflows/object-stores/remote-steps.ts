/** The steps of a store in a cloud account, and what takes it down again. */

import type { ActivityInterfaceFor } from '@temporalio/workflow'
import type { createObjectStoreActivities } from '../../activities/object-stores/activities.ts'
import type { Step } from '../provision.ts'

/** Names a call for the Temporal UI. */
type Told = (summary: string) => ActivityInterfaceFor<ReturnType<typeof createObjectStoreActivities>>

export const remoteSteps = (activity: Told): readonly Step[] => [
  activity('Wait for the environment').awaitStorePlace,
  activity('Wait for the name of the bucket').awaitStoreBucketName,
  activity('Look for the cloud connection').noteRemoteStore,
  activity('Make the buckets at the cloud').settleRemoteBuckets,
  activity('Make the user and its policy').settleRemoteUser,
  activity('Make the access key and keep it').settleRemoteKey,
  activity('Try the access key').proveRemoteKey,
]

export const remoteRemovals = (activity: Told): readonly Step[] => [
  activity('Remove the access key').closeRemoteStore,
  activity('Empty and remove the buckets at the cloud').emptyRemoteStore,
  activity('Remove the user and its policy').removeRemoteUser,
  activity('Wait for calls that were cut off').awaitCutOffCalls,
  activity('Look for buckets that came late').emptyRemoteStore,
  activity('Look for a user that came late').removeRemoteUser,
  activity('Remove the connection Secret').removeRemoteSecret,
]
