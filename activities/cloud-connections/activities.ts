/** The side effects of a cloud connection's story, bound to what they work with. */

import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import { connectionRules } from '../../kinds/cloud-connections/rules.ts'
import { resourceTypes } from '../../kinds/resource-types.ts'
import type { ActivityNeeds } from '../needs.ts'
import { giveUp, letGo, readPlan, takeUp, tellDraft } from '../provision.ts'
import type { ProvisionRoom } from '../provision-room.ts'
import { step } from '../provision-step.ts'
import { checkConnection } from './check.ts'
import { awaitUnused, removeKeys } from './remove.ts'

export const createCloudConnectionActivities = (needs: ActivityNeeds) => {
  const room: ProvisionRoom<CloudConnection> = {
    client: needs.client,
    store: needs.cloudConnections,
    type: resourceTypes.cloudConnection,
    rules: connectionRules,
    now: needs.now,
  }
  return {
    readConnectionPlan: readPlan(room),
    takeUpConnection: takeUp(room),
    checkConnection: checkConnection(room, needs),
    giveUpConnection: giveUp(room),
    tellConnectionDraft: tellDraft(room),
    awaitConnectionUnused: step(room, awaitUnused(needs)),
    removeConnectionKeys: step(room, removeKeys(needs)),
    letConnectionGo: letGo(room),
  }
}
