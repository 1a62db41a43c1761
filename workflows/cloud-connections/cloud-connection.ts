/** Reconciles one cloud connection: checked, held while it is used, removed with its keys. */

import type { SettleInput } from '../../durable/messages.ts'
import { activitiesFor } from '../activities.ts'
import { provisioned } from '../provision.ts'

/** Workflow id `cloud-connection/<name>`. */
export async function cloudConnection(input: SettleInput): Promise<void> {
  await provisioned('cloudConnection', input, activitiesFor(input.policy).cloudConnections)
}
