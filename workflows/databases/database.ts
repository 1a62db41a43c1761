/** Reconciles one database: a server on this cluster, at a cloud, or one that exists and is connected to. */

import type { SettleInput } from '../../durable/messages.ts'
import { activitiesFor } from '../activities.ts'
import { provisioned } from '../provision.ts'

/** Workflow id `database/<name>`. */
export async function database(input: SettleInput): Promise<void> {
  await provisioned('database', input, activitiesFor(input.policy).databases)
}
