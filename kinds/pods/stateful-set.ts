/** The progress of the one copy of a server that svc itself runs, from its StatefulSet and pods alone. */
import { podTrouble, type PodView } from './trouble.ts'

/** The fields of a StatefulSet that the rules read. */
export interface StatefulSetView {
  metadata: { generation?: number; deletionTimestamp?: string }
  status?: {
    observedGeneration?: number
    readyReplicas?: number
    updatedReplicas?: number
    replicas?: number
    currentRevision?: string
    updateRevision?: string
  }
}

/** Whether the controller has seen the newest template. */
export const isObserved = ({ metadata, status }: StatefulSetView): boolean =>
  (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)

/** Whether a copy of the newest template that the controller has seen is ready. */
export function isNewestReady({ status = {} }: StatefulSetView): boolean {
  const { updatedReplicas = 0, readyReplicas = 0, currentRevision, updateRevision } = status
  // Once the newest revision is the current one, the controller no longer counts updated copies.
  const newest = updatedReplicas > 0 || (currentRevision !== undefined && currentRevision === updateRevision)
  return newest && readyReplicas > 0
}

/** The pods that are not being deleted. */
export const livingOf = (pods: readonly PodView[]): PodView[] =>
  pods.filter((pod) => pod.metadata.deletionTimestamp === undefined)

/** The trouble of the first pod that has one. */
export const troubleAmong = (living: readonly PodView[]) => living.map(podTrouble).find((found) => found !== undefined)
