/** The outcome of a build, from its Job and its pod. */
import { defined } from '../../contract/defined.ts'
import { cloneKilled, notClonedCode } from './wait-for-clone.ts'

/** The fields of a Job that the rules read. */
export interface BuildJobView {
  metadata: { deletionTimestamp?: string | Date }
  status?: { conditions?: { type: string; status: string; reason?: string; message?: string }[] }
}

interface ContainerState {
  name: string
  state?: {
    running?: object
    waiting?: { reason?: string; message?: string }
    terminated?: { exitCode: number; reason?: string; message?: string }
  }
}

/** The fields of its pod that the rules read. */
export interface BuildPodView {
  status?: {
    phase?: string
    reason?: string
    message?: string
    initContainerStatuses?: ContainerState[]
    containerStatuses?: ContainerState[]
  }
}

/** Figures of a built image; the builder of an earlier release reports fewer. */
export interface BuildFigures {
  /** Bytes of its layers as they are pushed. */
  imageBytes?: number
  /** Instructions of the Dockerfile, and how many of them came from the cache. */
  steps?: number
  cachedSteps?: number
}

export type BuildOutcome =
  | { state: 'running'; step: string; revision?: string }
  | { state: 'succeeded'; revision: string; digest: string; made: BuildFigures }
  /** The commit is the one whose image exists already. */
  | { state: 'unchanged'; revision: string }
  | { state: 'failed'; why: string; revision?: string }

/** The known_hosts text of the servers that the clone met over ssh; undefined before its end, and without ssh. */
export function hostsMet(pod: BuildPodView | undefined): string | undefined {
  const { hosts = '' } = resultOf(cloneOf(pod)?.terminated)
  const text = Buffer.from(hosts, 'base64').toString()
  return text === '' ? undefined : text
}

/** Jobs of an earlier release have it as an init container, before the others. */
const cloneOf = ({ status = {} }: BuildPodView = {}): ContainerState['state'] =>
  stateOf([...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])], 'clone')

const imageWaits = ['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'CreateContainerConfigError']

/** @param minutes the deadline, for the sentence of a build that passed it */
export function outcomeOf(job: BuildJobView, pod: BuildPodView | undefined, minutes: number): BuildOutcome {
  const clone = cloneOf(pod)
  const build = stateOf(pod?.status?.containerStatuses, 'build')
  const cloned = resultOf(clone?.terminated)
  const buildpacks = cloned['kind'] === 'buildpacks' ? stateOf(pod?.status?.containerStatuses, 'buildpacks') : undefined
  const revision = cloned['revision'] === undefined ? {} : { revision: cloned['revision'] }
  const failed = (why: string): BuildOutcome => ({ state: 'failed', why, ...revision })
  const condition = (type: string) => job.status?.conditions?.find((it) => it.type === type && it.status === 'True')
  // FailureTarget comes while the pod still exists, so that its log can be saved.
  const end = condition('FailureTarget') ?? condition('Failed')
  // The deadline of the Job kills a clone, too.
  if (clone?.terminated !== undefined && clone.terminated.exitCode !== 0 && end?.reason !== 'DeadlineExceeded')
    return failed(sentenceOf(clone.terminated, whyNotCloned(clone.terminated)))
  // The clone failed, and the status of the pod does not show it yet.
  const isBehind = clone?.terminated === undefined && build?.terminated?.exitCode === notClonedCode
  if (build?.terminated !== undefined && !isBehind) {
    if (build.terminated.exitCode !== 0 && end?.reason !== 'DeadlineExceeded')
      return failed(sentenceOf(build.terminated, 'the build failed'))
    const result = resultOf(build.terminated)
    const { digest } = result
    if (cloned['reused'] !== undefined && cloned['revision'] !== undefined)
      return { state: 'unchanged', revision: cloned['revision'] }
    if (digest !== undefined && cloned['revision'] !== undefined)
      return { state: 'succeeded', revision: cloned['revision'], digest, made: figuresOf(result) }
  }
  // This container exits with 0 whatever the lifecycle's result, unless it is killed or its image has no shell.
  if (build?.terminated === undefined && end === undefined && buildpacks?.terminated?.exitCode)
    return failed(sentenceOf(buildpacks.terminated, 'the buildpacks were ended'))
  if (end?.reason === 'DeadlineExceeded')
    return failed(`the build took longer than ${minutes} minute${minutes === 1 ? '' : 's'}`)
  if (pod?.status?.reason === 'Evicted')
    return failed(`the node of the build was short of what it used: ${pod.status.message ?? 'it was evicted'}`)
  if (end !== undefined) return failed('the pod of the build was lost before it had ended')
  if (condition('Complete') !== undefined) return failed('the build ended without a result')
  return { state: 'running', step: stepOf(pod, clone, build, buildpacks), ...revision }
}

function figuresOf({ bytes, steps, cachedSteps }: Record<string, string | undefined>): BuildFigures {
  const whole = (text = '') => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)
  return defined({ imageBytes: whole(bytes), steps: whole(steps), cachedSteps: whole(cachedSteps) })
}

function stepOf(pod: BuildPodView | undefined, ...containers: readonly ContainerState['state'][]): string {
  const [clone, build] = containers
  const waiting = containers.map((state) => state?.waiting).find(({ reason = '' } = {}) => imageWaits.includes(reason))
  if (waiting !== undefined)
    return `the image of the builder cannot be pulled: ${waiting.message ?? waiting.reason ?? ''}`
  if (clone?.running !== undefined) return 'fetching the repository'
  if (build?.running !== undefined) return 'building'
  return pod === undefined ? 'waiting for a pod' : 'waiting for a node'
}

const stateOf = (statuses: ContainerState[] | undefined, name: string): ContainerState['state'] =>
  statuses?.find((status) => status.name === name)?.state

type Terminated = NonNullable<NonNullable<ContainerState['state']>['terminated']>

function sentenceOf({ exitCode, reason, message = '' }: Terminated, otherwise: string): string {
  if (reason === 'OOMKilled') return 'the build needed more memory than it may have'
  const text = message.trim()
  return text === '' ? `${otherwise} (exit code ${exitCode})` : text
}

/** For a clone without a sentence of its own: the code of a signal is 128 and its number. */
const whyNotCloned = ({ exitCode }: Terminated): string =>
  exitCode > 128 ? cloneKilled : 'the repository could not be fetched'

/** Parses the JSON of a script; all values as texts. */
function resultOf(terminated: Terminated | undefined): Record<string, string | undefined> {
  if (terminated === undefined || terminated.exitCode !== 0) return {}
  try {
    const value: unknown = JSON.parse(terminated.message ?? '')
    if (typeof value !== 'object' || value === null) return {}
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, String(field)]))
  } catch {
    return {} // cut off, or no script of svc wrote it: then there is no result
  }
}
