/** The activities of a cloud connection, bound to their clients and caches. */
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import { connectionRules } from '../../kinds/cloud-connections/rules.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { markFailed, removeFinalizer, readPlan, markAccepted, writeDraftStatus } from '../provision/activities.ts'
import type { ProvisionContext } from '../provision/context.ts'
import { step } from '../provision/step.ts'
import { checkConnection } from './check.ts'
import { awaitUnused, removeKeys } from './remove.ts'

export const createCloudConnectionActivities = (needs: ActivityNeeds) => {
  const context: ProvisionContext<CloudConnection> = {
    client: needs.client,
    store: needs.cloudConnections,
    type: resourceTypes.cloudConnection,
    rules: connectionRules,
    now: needs.now,
  }
  return {
    readConnectionPlan: readPlan(context),
    takeUpConnection: markAccepted(context),
    checkConnection: checkConnection(context, needs),
    giveUpConnection: markFailed(context),
    tellConnectionDraft: writeDraftStatus(context),
    awaitConnectionUnused: step(context, awaitUnused(needs)),
    removeConnectionKeys: step(context, removeKeys(needs)),
    letConnectionGo: removeFinalizer(context),
  }
}
