/** The activities of a cloud connection, each named for the Temporal UI. */
import type { Calls } from '../calls.ts'
import type { ProvisionWork } from '../provision.ts'

/** A pass has no steps but the check, whose verdict is the Ready condition: nothing is created for a connection. */
export const connectionWork = ({ reads, activity }: Calls): ProvisionWork => ({
  readPlan: reads.readConnectionPlan,
  markAccepted: activity('Accept it').takeUpConnection,
  steps: () => [],
  markReady: activity('Ask the cloud whether the keys are good').checkConnection,
  markFailed: activity('Write that it failed').giveUpConnection,
  writeDraftStatus: activity('Write that it waits').tellConnectionDraft,
  removals: () => [
    activity('Wait until nothing uses it').awaitConnectionUnused,
    activity('Remove its keys').removeConnectionKeys,
  ],
  removeFinalizer: activity('Remove the finalizer').letConnectionGo,
})
