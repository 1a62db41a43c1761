/** Reconciles one logical database: made on its server by a Job, dropped there by another. */

import type { SettleInput } from '../../durable/messages.ts'
import { activitiesFor } from '../activities.ts'
import { provisioned } from '../provision.ts'

/** Workflow id `logical-database/<name>`. */
export async function logicalDatabase(input: SettleInput): Promise<void> {
  await provisioned('logicalDatabase', input, activitiesFor(input.policy).logicalDatabases)
}
