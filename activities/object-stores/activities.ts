/** The side effects of an object store's story, bound to what they work with. */

import { connectionSecretName } from '../../kinds/connection-secret.ts'
import { homeOf } from '../../kinds/namespaces.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { isExternal, storeRules } from '../../kinds/object-stores/in-force.ts'
import { resourceTypes } from '../../kinds/resource-types.ts'
import type { ActivityNeeds } from '../needs.ts'
import { finish, giveUp, letGo, readPlan, takeUp, tellDraft } from '../provision.ts'
import type { ProvisionRoom } from '../provision-room.ts'
import { step, waiting } from '../provision-step.ts'
import { awaitBucketName, awaitServer } from './await-server.ts'
import { awaitPlace } from './await-place.ts'
import { createRemoteStoreActivities } from './remote-activities.ts'

export const createObjectStoreActivities = (needs: ActivityNeeds) => {
  const room: ProvisionRoom<ObjectStore> = {
    client: needs.client,
    store: needs.objectStores,
    type: resourceTypes.objectStore,
    rules: storeRules,
    now: needs.now,
  }
  return {
    readStorePlan: readPlan(room),
    takeUpStore: takeUp(room),
    awaitStorePlace: step(room, awaitPlace(needs)),
    awaitStoreBucketName: step(room, awaitBucketName),
    awaitObjectServer: step(room, awaitServer(needs)),
    awaitStoreProvisioning: step(room, async () => waiting('waiting for provisioning')),
    ...createRemoteStoreActivities(room, needs),
    finishStore: finish(room, ({ metadata, spec }) => ({
      reason: 'ObjectStoreReady',
      message: isExternal(spec) ? 'remote bucket ready' : 'bucket ready on cluster server',
      status: { targetNamespace: homeOf(spec), ...(isExternal(spec) ? { connectionSecret: connectionSecretName(metadata.name) } : {}) },
    })),
    giveUpStore: giveUp(room),
    tellStoreDraft: tellDraft(room),
    letStoreGo: letGo(room),
  }
}
