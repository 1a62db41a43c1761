/** How far a single instance is, from its StatefulSet, its volume and its pod alone. */

import { podTrouble, type PodView } from '../pods/trouble.ts'

/** What the rule needs of a StatefulSet. */
export interface InstanceView {
  metadata: { generation?: number; deletionTimestamp?: string }
  status?: {
    observedGeneration?: number
    readyReplicas?: number
    updatedReplicas?: number
    currentRevision?: string
    updateRevision?: string
  }
}

/** What is awaited; '' when the one copy of the newest template is ready. `bound`: the volume is there. */
export function instanceAwaited(set: InstanceView | undefined, pods: readonly PodView[], bound: boolean): string {
  if (set === undefined || set.metadata.deletionTimestamp !== undefined) return 'starting'
  const {
    observedGeneration = 0,
    updatedReplicas = 0,
    readyReplicas = 0,
    currentRevision,
    updateRevision,
  } = set.status ?? {}
  const seen = observedGeneration >= (set.metadata.generation ?? 0)
  // Once the newest revision is the current one, the server counts no updated copies any more.
  const newest = updatedReplicas > 0 || (currentRevision !== undefined && currentRevision === updateRevision)
  if (seen && newest && readyReplicas > 0) return ''
  const living = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined)
  const trouble = living.map(podTrouble).find((found) => found !== undefined)
  if (trouble !== undefined) return trouble.message
  if (!bound) return 'volume being made'
  return living.some(isPulling) ? 'image being pulled' : 'starting'
}

/** The kubelet says no more of a container that does not run yet; mounting takes a moment, pulling minutes. */
function isPulling({ status }: PodView): boolean {
  const containers = status?.containerStatuses ?? []
  return containers.some(
    ({ state }) => state?.waiting?.reason === 'ContainerCreating' || state?.waiting?.reason === 'PodInitializing',
  )
}
