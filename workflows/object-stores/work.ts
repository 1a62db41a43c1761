/**
 * The steps of an object store, by its shape: the server of the cluster, a bucket on it, or buckets in a cloud account.
 */
import type { ActivityInterfaceFor } from '@temporalio/workflow'
import type { createObjectStoreActivities } from '../../activities/object-stores/activities.ts'
import type { Calls } from '../calls.ts'
import type { ProvisionWork, Step } from '../provision.ts'

/** Names a call for the Temporal UI. */
type Named = (summary: string) => ActivityInterfaceFor<ReturnType<typeof createObjectStoreActivities>>

export const storeWork = ({ reads, activity }: Calls): ProvisionWork => ({
  readPlan: reads.readStorePlan,
  markAccepted: activity('Accept it').takeUpStore,
  steps: (variant) => storeSteps(activity, variant),
  markReady: activity('Write that it is ready').finishStore,
  markFailed: activity('Write that it failed').giveUpStore,
  writeDraftStatus: activity('Write that it waits for its deploy').tellStoreDraft,
  removals: (variant) => storeRemovals(activity, variant),
  removeFinalizer: activity('Remove the finalizer').letStoreGo,
})

/** The steps in their order: later ones need the objects of earlier ones. */
export function storeSteps(activity: Named, variant: string): readonly Step[] {
  if (variant === 'server') return serverSteps(activity)
  if (variant === 'restored') return bucketSteps(activity, restoreSteps(activity))
  return variant === 'local' ? bucketSteps(activity, []) : remoteSteps(activity)
}

export function storeRemovals(activity: Named, variant: string): readonly Step[] {
  if (variant === 'server') return serverRemovals(activity)
  if (variant === 'restored')
    return [activity('Remove the Job of the restore').clearStoreRestore, ...bucketRemovals(activity)]
  return variant === 'local' ? bucketRemovals(activity) : remoteRemovals(activity)
}

const serverSteps = (activity: Named): readonly Step[] => [
  activity('Make the root login').makeServerRoot,
  activity('Read the node tags, once').placeObjectServer,
  activity('Install the server').applyObjectServer,
  activity('Wait for the server to answer').awaitServerAnswer,
  activity('Write the connection Secret').tellServerConnection,
]

/** The connection Secret is written last, so that services see the bucket only once it has its objects. */
const bucketSteps = (activity: Named, fill: readonly Step[]): readonly Step[] => [
  activity('Wait for the environment').awaitStorePlace,
  activity('Wait for the name of the bucket').awaitStoreBucketName,
  activity('Wait for the object server').awaitObjectServer,
  activity('Make the keys').makeStoreKeys,
  activity('Make the buckets').makeStoreBuckets,
  activity('Make the user and its policy').makeStoreUser,
  activity('Remove empty buckets that left the list').dropFormerBuckets,
  ...fill,
  activity('Write the connection Secret').tellStoreConnection,
]

const restoreSteps = (activity: Named): readonly Step[] => [
  activity('Restore the backup into it').restoreStoreObjects,
  activity('Remove the Job of the restore and its keys').clearStoreRestore,
]

const serverRemovals = (activity: Named): readonly Step[] => [
  activity('Wait for the buckets to go').awaitNoBuckets,
  activity('Remove the server and its volume').removeServerObjects,
  activity('Remove its Secrets').removeServerSecrets,
  activity('Wait for the server to stop').awaitServerGone,
]

const bucketRemovals = (activity: Named): readonly Step[] => [
  activity('Take the access away').closeStoreAccess,
  activity('Remove the buckets with all that is in them').removeStoreBuckets,
  activity('Remove the Secrets').removeStoreSecrets,
]

const remoteSteps = (activity: Named): readonly Step[] => [
  activity('Wait for the environment').awaitStorePlace,
  activity('Wait for the name of the bucket').awaitStoreBucketName,
  activity('Look for the cloud connection').noteRemoteStore,
  activity('Make the buckets at the cloud').settleRemoteBuckets,
  activity('Make the user and its policy').settleRemoteUser,
  activity('Make the access key and keep it').settleRemoteKey,
  activity('Try the access key').proveRemoteKey,
]

const remoteRemovals = (activity: Named): readonly Step[] => [
  activity('Remove the access key').closeRemoteStore,
  activity('Empty and remove the buckets at the cloud').emptyRemoteStore,
  activity('Remove the user and its policy').removeRemoteUser,
  activity('Wait for calls that were cut off').awaitCutOffCalls,
  activity('Look for buckets that came late').emptyRemoteStore,
  activity('Look for a user that came late').removeRemoteUser,
  activity('Remove the connection Secret').removeRemoteSecret,
]
