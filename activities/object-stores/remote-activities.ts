/** The activities of a remote store, bound to their clients and caches. */
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import type { ProvisionContext } from '../provision/context.ts'
import { step } from '../provision/step.ts'
import type { RemoteNeeds } from './remote-account.ts'
import { reconcileBuckets } from './remote-buckets.ts'
import { proveKey, reconcileKey } from './remote-key.ts'
import { awaitCalls, closeRemote, emptyRemote, removeRemoteSecret, removeRemoteUser } from './remote-teardown.ts'
import { noteRemote, reconcileUser } from './remote-user.ts'

export const createRemoteStoreActivities = (context: ProvisionContext<ObjectStore>, needs: RemoteNeeds) => ({
  noteRemoteStore: step(context, noteRemote(needs)),
  settleRemoteBuckets: step(context, reconcileBuckets(needs)),
  settleRemoteUser: step(context, reconcileUser(needs)),
  settleRemoteKey: step(context, reconcileKey(needs)),
  proveRemoteKey: step(context, proveKey(needs)),
  closeRemoteStore: step(context, closeRemote(needs)),
  emptyRemoteStore: step(context, emptyRemote(needs)),
  removeRemoteUser: step(context, removeRemoteUser(needs)),
  awaitCutOffCalls: step(context, awaitCalls(needs)),
  removeRemoteSecret: step(context, removeRemoteSecret(needs)),
})
