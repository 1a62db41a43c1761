/** The activities of an object store, bound to their clients and caches. */
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { isExternal, isObjectServer, storeRules } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { serverEndpoint } from '../../kinds/object-stores/names.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import {
  type Finished,
  markReady,
  markFailed,
  removeFinalizer,
  readPlan,
  markAccepted,
  writeDraftStatus,
} from '../provision/activities.ts'
import type { ProvisionContext } from '../provision/context.ts'
import { inOrder, step } from '../provision/step.ts'
import { awaitBucketName, awaitServer } from './await-server.ts'
import { awaitPlace } from './await-place.ts'
import { dropFormerBuckets, makeBuckets, makeKeys, makeUser, writeConnection } from './make-bucket.ts'
import { createRemoteStoreActivities } from './remote-activities.ts'
import { lastBackup } from './last-backup.ts'
import { closeAccess, leavingNothing, removeBuckets, removeStoreSecrets } from './remove-bucket.ts'
import { clearRestore, restoreObjects } from './restore.ts'
import { awaitNoBuckets, awaitServerGone, removeServerObjects, removeServerSecrets } from './remove-server.ts'
import { applyServer, awaitServerAnswer, makeRoot, placeServer, writeServerConnection } from './apply-server.ts'

export const createObjectStoreActivities = (needs: ActivityNeeds) => {
  const context: ProvisionContext<ObjectStore> = {
    client: needs.client,
    store: needs.objectStores,
    type: resourceTypes.objectStore,
    rules: storeRules,
    now: needs.now,
  }
  return {
    readStorePlan: readPlan(context),
    takeUpStore: markAccepted(context),
    awaitStorePlace: step(context, awaitPlace(needs)),
    finishStore: markReady<ObjectStore, 'objectStore'>(context, finished),
    giveUpStore: markFailed(context),
    tellStoreDraft: writeDraftStatus(context),
    letStoreGo: removeFinalizer(context),
    ...ofServer(needs, context),
    ...ofBucket(needs, context),
    ...createRemoteStoreActivities(context, needs),
  }
}

const ofServer = (needs: ActivityNeeds, context: ProvisionContext<ObjectStore>) => ({
  makeServerRoot: step(context, makeRoot(needs)),
  placeObjectServer: step(context, placeServer(needs)),
  applyObjectServer: step(context, applyServer(needs)),
  awaitServerAnswer: step(context, awaitServerAnswer(needs)),
  tellServerConnection: step(context, writeServerConnection(needs)),
  awaitNoBuckets: step(context, awaitNoBuckets(needs)),
  removeServerObjects: step(context, removeServerObjects(needs)),
  removeServerSecrets: step(context, removeServerSecrets(needs)),
  awaitServerGone: step(context, awaitServerGone(needs)),
})

const ofBucket = (needs: ActivityNeeds, context: ProvisionContext<ObjectStore>) => ({
  awaitStoreBucketName: step(context, awaitBucketName(needs)),
  awaitObjectServer: step(context, awaitServer(needs)),
  makeStoreKeys: step(context, leavingNothing(needs, makeKeys(needs))),
  makeStoreBuckets: step(context, leavingNothing(needs, makeBuckets(needs))),
  makeStoreUser: step(context, leavingNothing(needs, makeUser(needs))),
  dropFormerBuckets: step(context, dropFormerBuckets(needs)),
  tellStoreConnection: step(context, leavingNothing(needs, writeConnection(needs))),
  restoreStoreObjects: step(context, restoreObjects(needs)),
  clearStoreRestore: step(context, clearRestore(needs)),
  closeStoreAccess: step(context, inOrder(lastBackup(needs), closeAccess(needs))),
  removeStoreBuckets: step(context, removeBuckets(needs)),
  removeStoreSecrets: step(context, removeStoreSecrets(needs)),
})

function finished({ metadata, spec }: ObjectStore): Finished<ObjectStore, 'objectStore'> {
  const message = isObjectServer(spec)
    ? 'cluster server ready'
    : isExternal(spec)
      ? 'remote bucket ready'
      : 'bucket ready on cluster server'
  // The endpoint of a remote store is written with its key, by `reconcileKey`.
  const endpoint = isExternal(spec) ? {} : { endpoint: serverEndpoint }
  return {
    reason: 'ObjectStoreReady',
    message,
    status: { targetNamespace: homeOf(spec), connectionSecret: connectionSecretName(metadata.name), ...endpoint },
  }
}
