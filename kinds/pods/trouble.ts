/** Why a pod does not come up, in a sentence for people: the same words for services and for servers. */

interface ContainerStatusView {
  name: string
  restartCount?: number
  state?: {
    waiting?: { reason?: string; message?: string }
    terminated?: { reason?: string; exitCode?: number }
    running?: object
  }
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

export interface PodTrouble {
  reason: 'ImagePull' | 'CrashLoop' | 'NoRoom' | 'ContainerConfig'
  message: string
  /** Only another deploy ends it, so there is no point in waiting. */
  lasting?: true
}

/** Undefined while nothing is wrong with the pod, or the cause is not known yet. */
export function podTrouble(pod: PodView): PodTrouble | undefined {
  const scheduled = pod.status?.conditions?.find((condition) => condition.type === 'PodScheduled')
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable') {
    return { reason: 'NoRoom', message: `no node has capacity for a copy: ${scheduled.message ?? 'unschedulable'}` }
  }
  for (const container of [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]) {
    const found = containerTrouble(container)
    if (found !== undefined) return found
  }
  return undefined
}

const pullReasons = new Set([
  'ImagePullBackOff',
  'ErrImagePull',
  'InvalidImageName',
  'ErrImageNeverPull',
  'RegistryUnavailable',
])
const configReasons = new Set(['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'])

function containerTrouble(container: ContainerStatusView): PodTrouble | undefined {
  const waiting = container.state?.waiting
  const reason = waiting?.reason ?? ''
  if (pullReasons.has(reason))
    return {
      reason: 'ImagePull',
      message: `the image cannot be pulled (${reason})${detail(waiting?.message)}`,
      // Such as ghcr.io/Acme/web: a repository has no capitals, so no registry will ever have it.
      ...(reason === 'InvalidImageName' ? { lasting: true } : {}),
    }
  if (configReasons.has(reason) && waiting?.message?.includes('runAsNonRoot') === true)
    return { reason: 'ContainerConfig', message: runsAsRoot, lasting: true }
  if (configReasons.has(reason))
    return {
      reason: 'ContainerConfig',
      message: `the container cannot be started (${reason})${detail(waiting?.message)}`,
    }
  const ended =
    container.state?.terminated ?? (reason === 'CrashLoopBackOff' ? container.lastState?.terminated : undefined)
  if (reason === 'CrashLoopBackOff' || ended !== undefined) {
    return {
      reason: 'CrashLoop',
      message: `container ${container.name} keeps exiting (${ended?.reason ?? 'Error'}, exit code ${ended?.exitCode ?? 'unknown'})`,
    }
  }
  return undefined
}

const runsAsRoot =
  'the image runs as root, or names its user by a word, which this environment does not allow: use an image with a ' +
  'numeric user other than 0, or have an admin let the service run as root (svc apps set NAME --run-as-root on) and ' +
  'deploy it (docs/guides/confinement.md)'

/** The message of a container runtime, cut to one readable line. */
function detail(message: string | undefined): string {
  if (message === undefined || message === '') return ''
  const line = message.split('\n')[0] ?? ''
  return `: ${line.length > 300 ? `${line.slice(0, 300)}…` : line}`
}
