/** The progress of a single instance, from its StatefulSet, volume and pod alone. */
import { isNewestReady, isObserved, livingOf, type StatefulSetView, troubleAmong } from '../pods/stateful-set.ts'
import type { PodView } from '../pods/trouble.ts'

/** What the instance waits for; '' when its one copy of the newest template is ready. `bound`: the volume exists. */
export function instanceAwaited(set: StatefulSetView | undefined, pods: readonly PodView[], bound: boolean): string {
  if (set === undefined || set.metadata.deletionTimestamp !== undefined) return 'starting'
  if (isObserved(set) && isNewestReady(set)) return ''
  const living = livingOf(pods)
  const trouble = troubleAmong(living)
  if (trouble !== undefined) return trouble.message
  if (!bound) return 'volume being made'
  return living.some(isPulling) ? 'image being pulled' : 'starting'
}

/** Whether the server was scheduled to a node: from then on it takes seconds, or the pull of its image. */
export const isPlaced = (pods: readonly PodView[]): boolean =>
  livingOf(pods).some(({ status }) =>
    (status?.conditions ?? []).some((condition) => condition.type === 'PodScheduled' && condition.status === 'True'),
  )

/** The kubelet reports no more of a container that does not run yet; a mount takes a moment, a pull minutes. */
function isPulling({ status }: PodView): boolean {
  const containers = status?.containerStatuses ?? []
  return containers.some(
    ({ state }) => state?.waiting?.reason === 'ContainerCreating' || state?.waiting?.reason === 'PodInitializing',
  )
}
