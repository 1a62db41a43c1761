/** The steps of a logical database: one Job creates it on its server, another drops it there. */
import type { Calls } from '../calls.ts'
import type { ProvisionWork } from '../provision.ts'

export const logicalDatabaseWork = ({ reads, activity }: Calls): ProvisionWork => ({
  readPlan: reads.readLogicalDatabasePlan,
  markAccepted: activity('Accept it').takeUpLogicalDatabase,
  steps: () => [
    activity('Wait for the environment').awaitLogicalDatabasePlace,
    activity('Wait for the server').awaitLogicalDatabaseServer,
    activity('Keep its name and login').keepLogicalDatabaseLogin,
    activity('Make it on the server').runLogicalDatabaseCreation,
    activity('Keep its connection secret').keepLogicalDatabaseConnection,
  ],
  markReady: activity('Write that it is ready').finishLogicalDatabase,
  markFailed: activity('Write that it failed').giveUpLogicalDatabase,
  writeDraftStatus: activity('Write that it waits for its deploy').tellLogicalDatabaseDraft,
  removals: () => [
    activity('Stop its creation').stopLogicalDatabaseCreation,
    activity('Drop it on the shared server').dropLogicalDatabase,
    activity('Remove its secrets').removeLogicalDatabaseLeftovers,
  ],
  removeFinalizer: activity('Remove the finalizer').letLogicalDatabaseGo,
})
