/** The copies of a workload for people: the state of each, and how often and why it was restarted. */
import { podTrouble, type PodView } from './trouble.ts'
import { defined } from '../../contract/defined.ts'

interface Ended {
  reason?: string
  exitCode?: number
  finishedAt?: string
}

/** A live pod, with the status of its containers. */
export interface CopyPod extends Omit<PodView, 'status'> {
  spec?: { nodeName?: string }
  status?: Omit<NonNullable<PodView['status']>, 'containerStatuses'> & {
    startTime?: string
    containerStatuses?: { name: string; restartCount?: number; ready?: boolean; lastState?: { terminated?: Ended } }[]
  }
}

export interface CopyState {
  name: string
  node: string
  phase: string
  ready: boolean
  startedAt?: string
  restarts: number
  /** Empty while nothing is wrong. */
  message: string
  /** How a container ended before its restart; the newest of all ends. */
  lastEnd?: { reason: string; exitCode?: number; at?: string }
}

export function copyState(pod: CopyPod): CopyState {
  const { phase = 'Unknown', startTime, containerStatuses: containers = [] } = pod.status ?? {}
  const lastEnd = newestEnd(containers.flatMap(({ lastState }) => lastState?.terminated ?? []))
  return {
    name: pod.metadata.name,
    node: pod.spec?.nodeName ?? '',
    phase: pod.metadata.deletionTimestamp === undefined ? phase : 'Terminating',
    ready: containers.length > 0 && containers.every(({ ready }) => ready === true),
    ...(startTime === undefined ? {} : { startedAt: startTime }),
    restarts: containers.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
    message: podTrouble(pod)?.message ?? '',
    ...defined({ lastEnd }),
  }
}

const reasonWords: Readonly<Record<string, string>> = {
  OOMKilled: 'used more memory than it may',
  Error: 'failed',
  Completed: 'exited by itself',
  DeadlineExceeded: 'ran longer than it may',
  ContainerCannotRun: 'could not be started',
}

function newestEnd(ends: readonly Ended[]): CopyState['lastEnd'] {
  const [newest] = ends.toSorted((a, b) => ((a.finishedAt ?? '') < (b.finishedAt ?? '') ? 1 : -1))
  if (newest === undefined) return undefined
  const { reason = 'Error', exitCode, finishedAt } = newest
  return {
    reason: reasonWords[reason] ?? reason,
    ...defined({ exitCode }),
    ...(finishedAt === undefined ? {} : { at: finishedAt }),
  }
}
