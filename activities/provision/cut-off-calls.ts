/**
 * Calls to a cloud that a worker sent before a deletion, and whose answer no one read: the worker was cut off, or the
 * cloud was slow. What such a call makes may come about after the removal has found nothing.
 */
import type { ResourceMeta } from '../../kinds/meta/resource.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { type Unmet, waiting } from './step.ts'

/**
 * The wait until no call to the cloud from before the deletion can take effect any more; undefined once that is so.
 * What the cloud has is looked at again after it.
 */
export function awaitCutOffCalls(
  { cloudSettleMs, now }: Pick<ActivityNeeds, 'cloudSettleMs' | 'now'>,
  { metadata }: { metadata: ResourceMeta },
  cloud: string,
): Unmet | undefined {
  const since = Date.parse(metadata.deletionTimestamp ?? '')
  if (now().getTime() >= since + cloudSettleMs) return undefined
  return waiting(`waiting for what was asked of ${cloud} before the deletion to come about`)
}
