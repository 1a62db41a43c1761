/** How far a single instance is, from its StatefulSet, its volume and its pod alone. */
import { isNewestReady, isObserved, livingOf, type StatefulSetView, troubleAmong } from '../pods/stateful-set.ts'
import type { PodView } from '../pods/trouble.ts'

/** What is awaited; '' when the one copy of the newest template is ready. `bound`: the volume is there. */
export function instanceAwaited(set: StatefulSetView | undefined, pods: readonly PodView[], bound: boolean): string {
  if (set === undefined || set.metadata.deletionTimestamp !== undefined) return 'starting'
  if (isObserved(set) && isNewestReady(set)) return ''
  const living = livingOf(pods)
  const trouble = troubleAmong(living)
  if (trouble !== undefined) return trouble.message
  if (!bound) return 'volume being made'
  return living.some(isPulling) ? 'image being pulled' : 'starting'
}

/** Whether a node has taken the server: from then on it is a matter of seconds, or of its image. */
export const isPlaced = (pods: readonly PodView[]): boolean =>
  livingOf(pods).some(({ status }) =>
    (status?.conditions ?? []).some((condition) => condition.type === 'PodScheduled' && condition.status === 'True'),
  )

/** The kubelet says no more of a container that does not run yet; mounting takes a moment, pulling minutes. */
function isPulling({ status }: PodView): boolean {
  const containers = status?.containerStatuses ?? []
  return containers.some(
    ({ state }) => state?.waiting?.reason === 'ContainerCreating' || state?.waiting?.reason === 'PodInitializing',
  )
}
