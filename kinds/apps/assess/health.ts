/**
 * The health of a service's copies, from its Deployment and pods alone; the objects that are missing beside them; and
 * the digests of what was applied. The watch, the worker and the api use the same rules.
 */
import { annotations, labels } from '../../meta/annotations.ts'
import { quotaUsedUp } from '../../pods/environment-quota.ts'
import { type PodTrouble, podTrouble, type PodView } from '../../pods/trouble.ts'
import type { AppSpec } from '../kind.ts'

/** What the rule needs of a Deployment; a live one and a trimmed cached one both fit. */
export interface DeploymentView {
  metadata: { generation?: number; annotations?: Record<string, string>; deletionTimestamp?: string }
  spec?: { replicas?: number; minReadySeconds?: number }
  status?: {
    observedGeneration?: number
    replicas?: number
    updatedReplicas?: number
    readyReplicas?: number
    availableReplicas?: number
    conditions?: { type: string; status: string; reason?: string; message?: string }[]
  }
}

export type HealthReason = 'Ready' | 'Missing' | 'Progressing' | 'QuotaOrPolicy' | PodTrouble['reason']

export interface Health {
  /** Every wanted copy runs the newest pod template and is available. */
  ready: boolean
  reason: HealthReason
  /** A sentence that explains the reason to a person. */
  message: string
  replicas: { desired: number; ready: number; available: number }
  /** The most restarts of one container among the pods of the newest release. */
  restarts: number
  /** Name of the pod that the reason and the message are about, where there is one. */
  pod?: string
  /** Only another deploy can repair the copies. */
  lasting?: true
  /** Another writer set the number of copies to 0, and no controller starts the first one again. */
  takenAway?: true
}

/** How many copies a deploy starts; an autoscaler may add to them. */
export function wantedCopies({ autoscaling, replicas }: Pick<AppSpec, 'autoscaling' | 'replicas'>): number {
  return autoscaling === undefined ? replicas : autoscaling.minReplicas
}

/** The release a Deployment or pod belongs to. */
export function releaseOf(object: { metadata: { annotations?: Record<string, string> } }): string | undefined {
  return object.metadata.annotations?.[annotations.release]
}

/**
 * The health of a service whose copies svc starts itself, not the add-on. A service that wants copies and has none is
 * not ready: an autoscaler by CPU never starts the first copy.
 */
export function startedHealth(copies: Health, spec: AppSpec): Health {
  if (copies.reason === 'Missing' || !isAsleep(copies) || wantedCopies(spec) === 0) return copies
  const message = 'waiting for copies: their number was set to 0'
  return { ...copies, ready: false, reason: 'Progressing', message, takenAway: true }
}

/** Whether no copy is wanted right now. */
export const isAsleep = ({ replicas }: Pick<Health, 'replicas'>): boolean => replicas.desired === 0

/**
 * The health of the attempt's release: a Deployment of another release counts as missing, since it has to be applied
 * again.
 */
export function releaseHealth(
  attempt: string | undefined,
  deployment: DeploymentView | undefined,
  pods: readonly PodView[],
): Health {
  const current = deployment !== undefined && releaseOf(deployment) === attempt ? deployment : undefined
  return healthOf(current, pods)
}

/** The health of the release that the Deployment has. */
export function healthOf(deployment: DeploymentView | undefined, pods: readonly PodView[]): Health {
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
  const isUp = areUp(deployment, desired, pods)
  const replicas = {
    desired,
    ready: isUp ? desired : (deployment.status?.readyReplicas ?? 0),
    available: isUp ? desired : (deployment.status?.availableReplicas ?? 0),
  }
  const release = releaseOf(deployment)
  const current = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && releaseOf(pod) === release)
  const restarts = Math.max(
    0,
    ...current.flatMap((pod) => (pod.status?.containerStatuses ?? []).map((container) => container.restartCount ?? 0)),
  )
  if (isUp || rolledOut(deployment, desired))
    return { ready: true, reason: 'Ready', message: `${desired} of ${desired} copies ready`, replicas, restarts }
  const trouble = troubleOf(deployment, current) ?? {
    reason: 'Progressing' as const,
    message: awaited(deployment, current, replicas),
  }
  return { ready: false, replicas, restarts, ...trouble }
}

/** Copies of an older template are among the available ones of a Deployment: only the pods tell them apart. */
function awaited(
  { status = {} }: DeploymentView,
  current: readonly PodView[],
  { desired, available }: Health['replicas'],
): string {
  const { replicas = 0, updatedReplicas = 0 } = status
  const up = replicas > updatedReplicas ? Math.min(available, current.filter(isPodReady).length) : available
  if (replicas > desired && up >= desired) return 'waiting for old copies to stop'
  return `waiting for copies: ${Math.min(up, desired)} of ${desired} available`
}

/**
 * Whether all copies are up, by the pods themselves: as `rolledOut`, two writes of the Kubernetes controllers earlier.
 * All copies are of the newest template and ready, and older ones are stopping. False where the Deployment has
 * `minReadySeconds`, which the pods do not show.
 */
function areUp(deployment: DeploymentView, desired: number, pods: readonly PodView[]): boolean {
  const status = deployment.status ?? {}
  const release = releaseOf(deployment)
  const running = pods.filter(
    (pod) => pod.metadata.deletionTimestamp === undefined && !['Succeeded', 'Failed'].includes(pod.status?.phase ?? ''),
  )
  return (
    isObserved(deployment) &&
    (deployment.spec?.minReadySeconds ?? 0) === 0 &&
    (status.updatedReplicas ?? 0) === desired &&
    running.length === desired &&
    running.every((pod) => releaseOf(pod) === release && isPodReady(pod))
  )
}

const isPodReady = ({ status }: PodView): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true

const isObserved = ({ metadata, status }: DeploymentView): boolean =>
  (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)

/** Whether the controllers have made a copy of the newest template, be it up or not; true where none is wanted. */
export const hasUpdatedCopy = (deployment: DeploymentView): boolean =>
  isObserved(deployment) && (deployment.spec?.replicas === 0 || (deployment.status?.updatedReplicas ?? 0) > 0)

/** Whether the Deployment controller has seen the newest template, and its copies and no others are available. */
function rolledOut(deployment: DeploymentView, desired: number): boolean {
  const status = deployment.status ?? {}
  if (!isObserved(deployment)) return false
  return (
    (status.updatedReplicas ?? 0) === desired &&
    (status.replicas ?? 0) === desired &&
    (status.availableReplicas ?? 0) === desired
  )
}

type Trouble = Pick<Health, 'reason' | 'message' | 'pod' | 'lasting'>

function troubleOf(deployment: DeploymentView, pods: readonly PodView[]): Trouble | undefined {
  for (const pod of [...pods].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))) {
    const found = podTrouble(pod)
    if (found !== undefined) return { ...found, pod: pod.metadata.name }
  }
  const failure = deployment.status?.conditions?.find(
    (condition) => condition.type === 'ReplicaFailure' && condition.status === 'True',
  )
  if (failure !== undefined) {
    const said = failure.message ?? failure.reason ?? 'no reason given'
    return { reason: 'QuotaOrPolicy', message: quotaUsedUp(said) ?? `the cluster refuses to create copies: ${said}` }
  }
  return undefined
}

/** Whether the copies were applied with another choice of nodes than the project has now; `wanted` is a `choiceKey`. */
export function isMisplaced(deployment: DeploymentView | undefined, wanted: string): boolean {
  return deployment !== undefined && (deployment.metadata.annotations?.[annotations.nodeChoice] ?? '') !== wanted
}

/**
 * The kinds of objects that a pass applies with a digest of their content; a service has at most one of each, under its
 * own name.
 */
export const appliedKinds = [
  'Deployment',
  'ServiceAccount',
  'Service',
  'Ingress',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
] as const

export type AppliedKind = (typeof appliedKinds)[number]

/** The kinds that a service may have one object of beside its Deployment. */
export type PartKind = Exclude<AppliedKind, 'Deployment'> | 'PersistentVolumeClaim'

/** The fields that the rules read of such an object. */
interface Head {
  metadata: { labels?: Record<string, string>; annotations?: Record<string, string> }
}

/** The objects of a service by kind, where they exist. The claim is among them only for a service with a volume. */
export type Made = Readonly<Partial<Record<PartKind | AppliedKind, Head | undefined>>>

/** The kinds that the effective spec and its host require and that the service has no object of. */
export function missingKinds(spec: AppSpec, host: string, made: Made): PartKind[] {
  const wanted: PartKind[] = [
    'ServiceAccount',
    'Service',
    ...(host === '' ? [] : ['Ingress' as const]),
    ...(spec.autoscaling === undefined ? [] : ['HorizontalPodAutoscaler' as const]),
    ...(wantedCopies(spec) >= 2 ? ['PodDisruptionBudget' as const] : []),
    ...(spec.volume === undefined ? [] : ['PersistentVolumeClaim' as const]),
  ]
  return wanted.filter((kind) => made[kind] === undefined)
}

const notApplied = '-'
/** So many digits of a digest are enough to see that two versions of one object differ. */
const digits = 8

/**
 * What the last pass applied: the digest that each object of the service carries, in the order of `appliedKinds`, `-`
 * for a missing one. Edits by other writers leave these digests alone. A pass that was cut off may still send its last
 * write after a newer pass has ended; the digests then differ from those that the newer pass recorded.
 */
export function appliedText(uid: string, made: Made): string {
  return appliedKinds
    .map((kind) => {
      const { labels: of, annotations: notes } = made[kind]?.metadata ?? {}
      return of?.[labels.owner] === uid ? (notes?.[annotations.applied] ?? notApplied).slice(0, digits) : notApplied
    })
    .join(' ')
}
