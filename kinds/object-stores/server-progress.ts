/** The progress of the object server, from its StatefulSet and pods alone. */
import { isNewestReady, isObserved, livingOf, type StatefulSetView, troubleAmong } from '../pods/stateful-set.ts'
import type { PodView } from '../pods/trouble.ts'

/** What the server waits for; '' when the one copy of the newest template is ready. */
export function serverAwaited(set: StatefulSetView | undefined, pods: readonly PodView[]): string {
  if (set === undefined || set.metadata.deletionTimestamp !== undefined || !isObserved(set))
    return 'installing the MinIO server'
  if (isNewestReady(set)) return ''
  const trouble = troubleAmong(livingOf(pods))
  return trouble === undefined ? 'starting the MinIO server' : `starting the MinIO server: ${trouble.message}`
}
