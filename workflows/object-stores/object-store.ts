/** Reconciles one object store: the server of the cluster, a bucket on it, or buckets in a cloud account. */

import type { SettleInput } from '../../durable/messages.ts'
import { activitiesFor } from '../activities.ts'
import { provisioned } from '../provision.ts'

/** Workflow id `object-store/<name>`. */
export async function objectStore(input: SettleInput): Promise<void> {
  await provisioned('objectStore', input, activitiesFor(input.policy).objectStores)
}
