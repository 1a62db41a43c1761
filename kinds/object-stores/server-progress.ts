/** How far the object server is, from its StatefulSet and pods alone. */

import { podTrouble, type PodView } from '../pods/trouble.ts'

/** What the rule needs of a StatefulSet. */
export interface StatefulSetView {
  metadata: { generation?: number; deletionTimestamp?: string }
  status?: {
    observedGeneration?: number
    updatedReplicas?: number
    readyReplicas?: number
    replicas?: number
    currentRevision?: string
    updateRevision?: string
  }
}

/** What is awaited; '' when the one copy of the newest template is ready. */
export function serverAwaited(set: StatefulSetView | undefined, pods: readonly PodView[]): string {
  if (set === undefined || set.metadata.deletionTimestamp !== undefined) return 'installing the MinIO server'
  const {
    observedGeneration = 0,
    updatedReplicas = 0,
    readyReplicas = 0,
    currentRevision,
    updateRevision,
  } = set.status ?? {}
  if (observedGeneration < (set.metadata.generation ?? 0)) return 'installing the MinIO server'
  // Once the newest revision is the current one, the server counts no updated copies any more.
  const newest = updatedReplicas > 0 || (currentRevision !== undefined && currentRevision === updateRevision)
  if (newest && readyReplicas > 0) return ''
  const trouble = pods
    .filter((pod) => pod.metadata.deletionTimestamp === undefined)
    .map(podTrouble)
    .find((found) => found !== undefined)
  return trouble === undefined ? 'starting the MinIO server' : `starting the MinIO server: ${trouble.message}`
}
