/** The side effects of an object store's story, bound to what they work with. */

import { connectionSecretName } from '../../kinds/connection-secret.ts'
import { isExternal, isObjectServer, storeRules } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { serverEndpoint } from '../../kinds/object-stores/names.ts'
import { homeOf } from '../../kinds/namespaces.ts'
import { resourceTypes } from '../../kinds/resource-types.ts'
import type { ActivityNeeds } from '../needs.ts'
import { type Finished, finish, giveUp, letGo, readPlan, takeUp, tellDraft } from '../provision.ts'
import type { ProvisionRoom } from '../provision-room.ts'
import { step } from '../provision-step.ts'
import { awaitBucketName, awaitServer } from './await-server.ts'
import { awaitPlace } from './await-place.ts'
import { dropFormerBuckets, makeBuckets, makeKeys, makeUser, tellConnection } from './make-bucket.ts'
import { createRemoteStoreActivities } from './remote-activities.ts'
import { closeAccess, removeBuckets, removeStoreSecrets } from './remove-bucket.ts'
import { awaitNoBuckets, awaitServerGone, removeServerObjects, removeServerSecrets } from './remove-server.ts'
import { applyServer, awaitServerAnswer, makeRoot, placeServer, tellServerConnection } from './serve.ts'

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
    finishStore: finish(room, finished),
    giveUpStore: giveUp(room),
    tellStoreDraft: tellDraft(room),
    letStoreGo: letGo(room),
    ...ofServer(needs, room),
    ...ofBucket(needs, room),
    ...createRemoteStoreActivities(room, needs),
  }
}

const ofServer = (needs: ActivityNeeds, room: ProvisionRoom<ObjectStore>) => ({
  makeServerRoot: step(room, makeRoot(needs)),
  placeObjectServer: step(room, placeServer(needs)),
  applyObjectServer: step(room, applyServer(needs)),
  awaitServerAnswer: step(room, awaitServerAnswer(needs)),
  tellServerConnection: step(room, tellServerConnection(needs)),
  awaitNoBuckets: step(room, awaitNoBuckets(needs)),
  removeServerObjects: step(room, removeServerObjects(needs)),
  removeServerSecrets: step(room, removeServerSecrets(needs)),
  awaitServerGone: step(room, awaitServerGone(needs)),
})

const ofBucket = (needs: ActivityNeeds, room: ProvisionRoom<ObjectStore>) => ({
  awaitStoreBucketName: step(room, awaitBucketName(needs)),
  awaitObjectServer: step(room, awaitServer(needs)),
  makeStoreKeys: step(room, makeKeys(needs)),
  makeStoreBuckets: step(room, makeBuckets(needs)),
  makeStoreUser: step(room, makeUser(needs)),
  dropFormerBuckets: step(room, dropFormerBuckets(needs)),
  tellStoreConnection: step(room, tellConnection(needs)),
  closeStoreAccess: step(room, closeAccess(needs)),
  removeStoreBuckets: step(room, removeBuckets(needs)),
  removeStoreSecrets: step(room, removeStoreSecrets(needs)),
})

function finished({ metadata, spec }: ObjectStore): Finished<ObjectStore> {
  const message = isObjectServer(spec) ? 'cluster server ready' : isExternal(spec) ? 'remote bucket ready' : 'bucket ready on cluster server'
  // The address of a cloud is noted with the key that was made there.
  const endpoint = isExternal(spec) ? {} : { endpoint: serverEndpoint }
  return {
    reason: 'ObjectStoreReady',
    message,
    status: { targetNamespace: homeOf(spec), connectionSecret: connectionSecretName(metadata.name), ...endpoint },
  }
}
