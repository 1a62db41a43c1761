/** The side effects of a remote store's story, bound to what they work with. */

import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import type { ProvisionRoom } from '../provision-room.ts'
import { step } from '../provision-step.ts'
import type { RemoteNeeds } from './remote-account.ts'
import { settleBuckets } from './remote-buckets.ts'
import { proveKey, settleKey } from './remote-key.ts'
import { awaitCutOffCalls, closeRemote, emptyRemote, removeRemoteSecret, removeRemoteUser } from './remote-teardown.ts'
import { noteRemote, settleUser } from './remote-user.ts'

export const createRemoteStoreActivities = (room: ProvisionRoom<ObjectStore>, needs: RemoteNeeds) => ({
  noteRemoteStore: step(room, noteRemote(needs)),
  settleRemoteBuckets: step(room, settleBuckets(needs)),
  settleRemoteUser: step(room, settleUser(needs)),
  settleRemoteKey: step(room, settleKey(needs)),
  proveRemoteKey: step(room, proveKey(needs)),
  closeRemoteStore: step(room, closeRemote(needs)),
  emptyRemoteStore: step(room, emptyRemote(needs)),
  removeRemoteUser: step(room, removeRemoteUser(needs)),
  awaitCutOffCalls: step(room, awaitCutOffCalls(needs)),
  removeRemoteSecret: step(room, removeRemoteSecret(needs)),
})
