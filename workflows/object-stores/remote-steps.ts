/** The steps of a store in a cloud account, and what takes it down again. */

import type { ActivityInterfaceFor } from '@temporalio/workflow'
import type { createObjectStoreActivities } from '../../activities/object-stores/activities.ts'
import type { Step } from '../provision.ts'

/** Names a call for the Temporal UI. */
type Told = (summary: string) => ActivityInterfaceFor<ReturnType<typeof createObjectStoreActivities>>

export const remoteSteps = (told: Told): readonly Step[] => [
  told('Wait for the environment').awaitStorePlace,
  told('Wait for the name of the bucket').awaitStoreBucketName,
  told('Look for the cloud connection').noteRemoteStore,
  told('Make the buckets at the cloud').settleRemoteBuckets,
  told('Make the user and its policy').settleRemoteUser,
  told('Make the access key and keep it').settleRemoteKey,
  told('Try the access key').proveRemoteKey,
]

export const remoteRemovals = (told: Told): readonly Step[] => [
  told('Remove the access key').closeRemoteStore,
  told('Empty and remove the buckets at the cloud').emptyRemoteStore,
  told('Remove the user and its policy').removeRemoteUser,
  told('Wait for calls that were cut off').awaitCutOffCalls,
  told('Look for buckets that came late').emptyRemoteStore,
  told('Look for a user that came late').removeRemoteUser,
  told('Remove the connection Secret').removeRemoteSecret,
]
