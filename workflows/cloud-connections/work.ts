/** The activities of a cloud connection's story, each named for the Temporal UI. */

import type { ActivityInterfaceFor } from '@temporalio/workflow'
import type { createCloudConnectionActivities } from '../../activities/cloud-connections/activities.ts'
import type { ProvisionWork } from '../provision.ts'

type Calls = ActivityInterfaceFor<ReturnType<typeof createCloudConnectionActivities>>

/** Being ready is what its check says, so that is the end of every pass; there is nothing to make before. */
export const connectionWork = (reads: Calls, told: (summary: string) => Calls): ProvisionWork => ({
  readPlan: reads.readConnectionPlan,
  takeUp: told('Take it up').takeUpConnection,
  steps: () => [],
  finish: told('Ask the cloud whether the keys are good').checkConnection,
  giveUp: told('Give up').giveUpConnection,
  tellDraft: told('Tell that it waits').tellConnectionDraft,
  removals: () => [told('Wait until nothing uses it').awaitConnectionUnused, told('Remove its keys').removeConnectionKeys],
  letGo: told('Let the record go').letConnectionGo,
})
