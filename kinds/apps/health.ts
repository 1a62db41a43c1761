/** How a service's copies are doing, from its Deployment and pods alone: the same answer in the watch, the worker and the api. */

/** What the rule needs of a Deployment; a live one and a trimmed cached one both fit. */
export interface DeploymentView {
  metadata: { generation?: number; annotations?: Record<string, string>; deletionTimestamp?: string }
  spec?: { replicas?: number }
  status?: {
    observedGeneration?: number
    replicas?: number
    updatedReplicas?: number
    readyReplicas?: number
    availableReplicas?: number
    conditions?: { type: string; status: string; reason?: string; message?: string }[]
  }
}

export interface ContainerStatusView {
  name: string
  restartCount?: number
  state?: { waiting?: { reason?: string; message?: string }; terminated?: { reason?: string; exitCode?: number }; running?: object }
  lastState?: { terminated?: { reason?: string; exitCode?: number } }
}

export interface PodView {
  metadata: { name: string; annotations?: Record<string, string>; deletionTimestamp?: string }
  status?: {
    phase?: string
    conditions?: { type: string; status: string; reason?: string; message?: string }[]
    containerStatuses?: ContainerStatusView[]
    initContainerStatuses?: ContainerStatusView[]
  }
}

export type HealthReason = 'Ready' | 'Missing' | 'Progressing' | 'ImagePull' | 'CrashLoop' | 'NoRoom' | 'NotReady' | 'QuotaOrPolicy' | 'ContainerConfig'

export interface Health {
  /** Every wanted copy runs the newest pod template and is available. */
  ready: boolean
  reason: HealthReason
  /** A sentence a person can act on. */
  message: string
  replicas: { desired: number; ready: number; available: number }
  /** The most restarts of one container among the pods of the newest release. */
  restarts: number
  /** The pod that explains the trouble, when one does. */
  pod?: string
}

/** The health of a service whose pods carry their release in an annotation; `releaseOf` reads it. */
export function healthOf(
  deployment: DeploymentView | undefined,
  pods: readonly PodView[],
  releaseOf: (pod: PodView | DeploymentView) => string | undefined,
): Health {
  if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) {
    return {
      ready: false,
      reason: 'Missing',
      message: 'the deployment of this service is missing',
      replicas: { desired: 0, ready: 0, available: 0 },
      restarts: 0,
    }
  }
  const desired = deployment.spec?.replicas ?? 1
  const replicas = { desired, ready: deployment.status?.readyReplicas ?? 0, available: deployment.status?.availableReplicas ?? 0 }
  const release = releaseOf(deployment)
  const current = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && releaseOf(pod) === release)
  const restarts = Math.max(0, ...current.flatMap((pod) => (pod.status?.containerStatuses ?? []).map((container) => container.restartCount ?? 0)))
  if (rolledOut(deployment, desired)) return { ready: true, reason: 'Ready', message: `${desired} of ${desired} copies ready`, replicas, restarts }
  const trouble = troubleOf(deployment, current) ?? {
    reason: 'Progressing' as const,
    message:
      (deployment.status?.replicas ?? 0) > desired && replicas.available >= desired
        ? 'waiting for old copies to stop'
        : `waiting for copies: ${Math.min(replicas.available, desired)} of ${desired} available`,
  }
  return { ready: false, replicas, restarts, ...trouble }
}

/** Whether the controller has seen the newest template and every copy of it, and no other, is available. */
function rolledOut(deployment: DeploymentView, desired: number): boolean {
  const status = deployment.status ?? {}
  if ((status.observedGeneration ?? 0) < (deployment.metadata.generation ?? 0)) return false
  return (status.updatedReplicas ?? 0) === desired && (status.replicas ?? 0) === desired && (status.availableReplicas ?? 0) === desired
}

type Trouble = Pick<Health, 'reason' | 'message' | 'pod'>

function troubleOf(deployment: DeploymentView, pods: readonly PodView[]): Trouble | undefined {
  for (const pod of [...pods].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))) {
    const found = podTrouble(pod)
    if (found !== undefined) return { ...found, pod: pod.metadata.name }
  }
  const failure = deployment.status?.conditions?.find((condition) => condition.type === 'ReplicaFailure' && condition.status === 'True')
  if (failure !== undefined)
    return { reason: 'QuotaOrPolicy', message: `the cluster refuses to create copies: ${failure.message ?? failure.reason ?? 'no reason given'}` }
  return undefined
}

function podTrouble(pod: PodView): Trouble | undefined {
  const scheduled = pod.status?.conditions?.find((condition) => condition.type === 'PodScheduled')
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable') {
    return { reason: 'NoRoom', message: `no node has room for a copy: ${scheduled.message ?? 'unschedulable'}` }
  }
  for (const container of [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]) {
    const found = containerTrouble(container)
    if (found !== undefined) return found
  }
  return undefined
}

const pullReasons = new Set(['ImagePullBackOff', 'ErrImagePull', 'InvalidImageName', 'ErrImageNeverPull', 'RegistryUnavailable'])
const configReasons = new Set(['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'])

function containerTrouble(container: ContainerStatusView): Trouble | undefined {
  const waiting = container.state?.waiting
  const reason = waiting?.reason ?? ''
  if (pullReasons.has(reason)) return { reason: 'ImagePull', message: `the image cannot be pulled (${reason})${detail(waiting?.message)}` }
  if (configReasons.has(reason)) return { reason: 'ContainerConfig', message: `the container cannot be started (${reason})${detail(waiting?.message)}` }
  const ended = container.state?.terminated ?? (reason === 'CrashLoopBackOff' ? container.lastState?.terminated : undefined)
  if (reason === 'CrashLoopBackOff' || ended !== undefined) {
    return {
      reason: 'CrashLoop',
      message: `container ${container.name} keeps exiting (${ended?.reason ?? 'Error'}, exit code ${ended?.exitCode ?? 'unknown'})`,
    }
  }
  return undefined
}

/** A runtime's message, cut to one readable line. */
function detail(message: string | undefined): string {
  if (message === undefined || message === '') return ''
  const line = message.split('\n')[0] ?? ''
  return `: ${line.length > 300 ? `${line.slice(0, 300)}…` : line}`
}
