/**
 * How a service's copies are doing, from its Deployment and pods alone, what is missing beside them, and what its
 * objects were made of: the same answer in the watch, the worker and the api.
 */
import { annotations, labels } from '../meta/annotations.ts'
import { quotaUsedUp } from '../pods/environment-quota.ts'
import { type PodTrouble, podTrouble, type PodView } from '../pods/trouble.ts'
import type { AppSpec } from './kind.ts'

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
  /** A sentence a person can act on. */
  message: string
  replicas: { desired: number; ready: number; available: number }
  /** The most restarts of one container among the pods of the newest release. */
  restarts: number
  /** The pod that explains the trouble, when one does. */
  pod?: string
  /** The trouble ends with another deploy alone. */
  lasting?: true
  /** Another writer took all copies away, and nothing else starts the first. */
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
 * The health of a service whose copies are its own to start: one that has to have copies is not ready without, since an
 * autoscaler by CPU never starts the first.
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
    message:
      (deployment.status?.replicas ?? 0) > desired && replicas.available >= desired
        ? 'waiting for old copies to stop'
        : `waiting for copies: ${Math.min(replicas.available, desired)} of ${desired} available`,
  }
  return { ready: false, replicas, restarts, ...trouble }
}

/**
 * The same as `rolledOut` by the pods' own word, two writes of the controllers earlier: all copies are of the newest
 * template, each is ready, and what ran before is stopping. Not where a copy must be ready for a while first.
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

/** Whether the controller has seen the newest template and every copy of it, and no other, is available. */
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

/** Whether the copies were applied for other nodes than the project asks for now, as `choiceKey` has them. */
export function isMisplaced(deployment: DeploymentView | undefined, wanted: string): boolean {
  return deployment !== undefined && (deployment.metadata.annotations?.[annotations.nodeChoice] ?? '') !== wanted
}

/** Each service has one object of these under its name, or none. */
export const appliedKinds = [
  'Deployment',
  'ServiceAccount',
  'Service',
  'Ingress',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
] as const

export type AppliedKind = (typeof appliedKinds)[number]

/** The kinds beside its Deployment that a service may have one object of. */
export type PartKind = Exclude<AppliedKind, 'Deployment'> | 'PersistentVolumeClaim'

/** What the rules need of an object beside the copies. */
interface Head {
  metadata: { labels?: Record<string, string>; annotations?: Record<string, string> }
}

/** The objects of a service, by kind, where there is one. A claim counts for a service with a volume alone. */
export type Made = Readonly<Partial<Record<PartKind | AppliedKind, Head | undefined>>>

/** The kinds that the effective spec and its host ask for and the service has no object of. */
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
/** Enough to see that two versions of one object differ. */
const digits = 8

/**
 * What a pass applied of a service: the digests that its own objects carry, in the order of `appliedKinds`, `-` for
 * those that are not there; edits by others do not change them. By it a later write of another pass shows: one that was
 * cut off may still write what it decided before a newer one ended, on condition of what that one left as it was.
 */
export function appliedText(uid: string, made: Made): string {
  return appliedKinds
    .map((kind) => {
      const { labels: of, annotations: notes } = made[kind]?.metadata ?? {}
      return of?.[labels.owner] === uid ? (notes?.[annotations.applied] ?? notApplied).slice(0, digits) : notApplied
    })
    .join(' ')
}
