/** The activities of a cloud connection, each named for the Temporal UI. */
import type { Calls } from '../calls.ts'
import type { ProvisionWork } from '../provision.ts'

/** Being ready is what its check says, so that is the end of every pass; there is nothing to make before. */
export const connectionWork = ({ reads, activity }: Calls): ProvisionWork => ({
  readPlan: reads.readConnectionPlan,
  markAccepted: activity('Accept it').takeUpConnection,
  steps: () => [],
  markReady: activity('Ask the cloud whether the keys are good').checkConnection,
  markFailed: activity('Write that it failed').giveUpConnection,
  writeDraftStatus: activity('Tell that it waits').tellConnectionDraft,
  removals: () => [
    activity('Wait until nothing uses it').awaitConnectionUnused,
    activity('Remove its keys').removeConnectionKeys,
  ],
  removeFinalizer: activity('Remove the finalizer').letConnectionGo,
})
