/** Every ten minutes: no record with work stays without an open run, whatever happened to watches and runs. */

import type { Policy } from '../durable/policy.ts'
import { activitiesFor } from './activities.ts'

export async function resync(input: { policy: Policy }): Promise<void> {
  const { resync: sides } = activitiesFor(input.policy)
  await sides.compare()
}
