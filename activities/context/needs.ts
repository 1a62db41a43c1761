/** The clients, caches and settings of the activities; the worker passes them in. */
import type { CacheEvent, ResourceCache } from '../../cluster/cache/cache.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Discovery } from '../../cluster/discovery.ts'
import type { Logger } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { FunctionSchedule } from '../../kinds/apps/functions/schedules.ts'
import type { EnvironmentQuota } from '../../kinds/pods/environment-quota.ts'
import type { ServiceLevel } from '../../kinds/pods/security.ts'
import type { DeploymentView } from '../../kinds/apps/assess/health.ts'
import type { ScalerView } from '../../kinds/apps/assess/sleep.ts'
import type { AutoHosts } from '../../kinds/apps/hosts.ts'
import type { SleepSettings } from '../../kinds/apps/manifests/sleep.ts'
import type { RunnerImages } from '../../kinds/apps/functions/function.ts'
import type { CheckLimits } from '../../kinds/builds/checks.ts'
import type { BuilderSettings } from '../../kinds/builds/job.ts'
import type { ReportRef } from '../../kinds/builds/report.ts'
import type { RecordOf } from '../../kinds/definitions.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import type { PodView } from '../../kinds/pods/trouble.ts'
import type { Notice } from '../../kinds/projects/notice.ts'
import { type ComparedKind, comparedKinds, type RecordsName } from '../../kinds/meta/resource-types.ts'
import type { Aws } from '../../outside/aws/account.ts'
import type { PullRequestHost } from '../../outside/githost/pull-requests.ts'
import type { GitHost } from '../../outside/githost/githost.ts'
import type { PlanetScales } from '../../outside/planetscale/planetscale.ts'
import type { Registries } from '../../outside/registry/registry.ts'
import type { ImageRemover } from '../../outside/registry/remove-image.ts'
import type { RecordStore } from '../../records/store/record-store.ts'
import type { EnvironmentAccess } from './environment-access.ts'

export type CachedDeployment = KubeObject & DeploymentView
export type CachedPod = KubeObject & PodView
export type CachedScaler = KubeObject & ScalerView
export type CachedNamespace = KubeObject & { status?: { phase?: string } }

export type CachedStatefulSet = KubeObject & {
  spec?: { replicas?: number }
  status?: { readyReplicas?: number; updatedReplicas?: number; observedGeneration?: number }
}
export type CachedJob = KubeObject & {
  status?: { succeeded?: number; conditions?: { type: string; status: string; reason?: string; message?: string }[] }
}

/** The objects made for services, databases, buckets and environments that the worker watches. */
export interface ChildCaches {
  namespaces: ResourceCache<CachedNamespace>
  deployments: ResourceCache<CachedDeployment>
  /** Indexed by `owner`: the uid of the service. */
  pods: ResourceCache<CachedPod>
  /** Metadata only, as the next five: enough to see whether an object is svc's own and unchanged. */
  serviceAccounts: ResourceCache<KubeObject>
  services: ResourceCache<KubeObject>
  ingresses: ResourceCache<KubeObject>
  autoscalers: ResourceCache<KubeObject>
  disruptionBudgets: ResourceCache<KubeObject>
  /** Claims of services and of single database servers. */
  volumeClaims: ResourceCache<KubeObject>
  /** Objects of the serverless add-on, as the next; both caches are empty if that is not installed. */
  interceptorRoutes: ResourceCache<KubeObject>
  scaledObjects: ResourceCache<CachedScaler>
  /** The CustomResourceDefinitions of these two kinds: they show when the add-on is installed or removed. */
  sleepKinds: readonly ResourceCache<KubeObject>[]
  /** StatefulSets of databases and of the object server. */
  statefulSets: ResourceCache<CachedStatefulSet>
  jobs: ResourceCache<CachedJob>
  connectionSecrets: ConnectionSecrets
}

/** The connection Secrets of databases and buckets, in svc-system and in every environment; metadata only. */
export interface ConnectionSecrets {
  /** False also while the Secrets of the namespace are not listed yet. */
  isMissing: (name: string, namespace: string) => boolean
  onChange: (listener: (event: CacheEvent<KubeObject>) => void) => () => void
  /** Called with each namespace whose Secrets are listed for the first time. */
  onKnown: (listener: (namespace: string) => void) => () => void
}

export interface PlacementSettings {
  ingressClass: string
  clusterIssuer: string
  /** How much a copy of a service may write outside of volumes. */
  scratchLimit: string
  runners: RunnerImages
  /** The ResourceQuota of one environment. */
  quota: EnvironmentQuota
  /** The Pod Security level of environments created from now on; see docs/guides/confinement.md#never-root. */
  podSecurity: ServiceLevel
  /** Set if services without a host get a generated one. */
  autoHosts?: AutoHosts | undefined
  /** Address and settings of the serverless add-on, if it is installed. */
  sleep: SleepSettings
  /** The endpoint for calls of functions, for a worker that cannot reach the addresses of Services. */
  functionEndpoint?: { host: string; port: number }
  /** Hosts that belong to the platform itself; none if left out. */
  reservedHosts?: readonly string[]
}

/** The clouds that projects have accounts at. */
export interface Clouds {
  aws: Aws
  planetScale: PlanetScales
}

/** The object server of the cluster. */
export interface ObjectServerSettings {
  image: string
  /** Its endpoint, `http://host:port`; the address of its Service if left out. */
  endpoint?: string
}

/** The Schedules of functions at Temporal; each of these may be repeated, and rejects when Temporal does not answer. */
export interface FunctionSchedules {
  /** Whether the Schedule exists, is not paused, and is as wanted. */
  isUpToDate: (schedule: FunctionSchedule) => Promise<boolean>
  /** Creates or updates the Schedule; one that is as wanted already is not written. */
  put: (schedule: FunctionSchedule) => Promise<void>
  /** Pauses the Schedule: it starts no runs until it is `put` again. */
  pause: (app: string, trigger: string) => Promise<void>
  remove: (app: string, trigger: string) => Promise<void>
  /** The Schedules of all functions. Temporal lists them with a delay, so the newest ones may be missing. */
  list: () => Promise<readonly { app: string; trigger: string }[]>
}

/** The records of every kind that is compared: `apps`, `databases` and so on. */
export type RecordStores = { [K in ComparedKind as RecordsName<K>]: RecordStore<RecordOf<K>> }

/** The stores of all compared kinds; `make` makes the one of a kind. */
export function storesOf(make: (kind: ComparedKind) => RecordStore<KubeObject>): RecordStores {
  const kinds = Object.keys(comparedKinds) as ComparedKind[]
  const stores = kinds.map((kind) => [comparedKinds[kind].records, make(kind)] as const)
  return Object.fromEntries(stores) as unknown as RecordStores // each of the records of its kind
}

/** Events of copies for the pass that applied them and waits for them within its workflow task. */
export interface CopiesNews {
  /** A pass over the service begins, and is going to wait. */
  expect: (app: string) => void
  /** The pass is over, and its wait comes next. */
  follow: (app: string) => void
  /** Waits for an event of the copies, at most `milliseconds`; false if none came, or if too many passes wait. */
  wait: (app: string, milliseconds: number) => Promise<boolean>
  /** The pass does not wait after all. */
  release: (app: string) => void
}

export interface ActivityNeeds extends RecordStores {
  client: ClusterClient
  /** Finds which add-ons are installed. */
  discovery: Discovery
  deployments: RecordStore<Deployment>
  children: ChildCaches
  /** Whether the worker has its rights in a namespace of an environment yet. */
  access: EnvironmentAccess
  clouds: Clouds
  /** How long one pass may empty a bucket before it returns and reports its progress, in milliseconds. */
  emptyingMs: number
  /** Time after which a call to a cloud has taken effect or never will, in milliseconds. */
  cloudSettleMs: number
  placement: PlacementSettings
  objectServer: ObjectServerSettings
  gitHost: GitHost
  /** Reads and comments pull requests at the git host, as the app of this install. */
  pullRequests: PullRequestHost
  /** Time without a new commit after which the environment of a pull request is closed, in milliseconds. */
  pullRequestIdleMs: number
  /** The image with rclone that Jobs of backups run. */
  backupImage: string
  /** The image with a MySQL server and mysqlbinlog; '' for the image of each database's own server. */
  binlogImage: string
  /** Image and limits of builds. */
  builder: BuilderSettings
  /** How long builds wait for the checks of their commits. */
  checks: CheckLimits
  /** Resolves image tags to digests; undefined if registries are off, so that copies run by tag. */
  registries: Registries | undefined
  /** Removes images of builds from registries; undefined if they are kept. */
  imageRemover: ImageRemover | undefined
  /** Restarts of a new copy that end an attempt, unless the service names a number. */
  crashRestarts: number
  /** How long a copy without a readiness probe must run before it counts as up. */
  steadyMs: number
  /** A pass that took less than this has its work alone: no other worker can have begun it meanwhile. */
  aloneMs: number
  copiesNews: CopiesNews
  rolloutTurns: RolloutTurns
  /** How long the deletion of a logical database waits for its drop. */
  dropMs: number
  schedules: FunctionSchedules
  /** Starts the delivery of an event to a webhook; harmless to repeat, since each can be started once. */
  startDelivery: (webhook: string, notice: Notice) => Promise<void>
  /** Starts or wakes the report of a deploy to the git host; harmless to repeat. `news`: the reason for it. */
  startReport: (report: ReportRef, news: string) => Promise<void>
  /** How long after an event a delivery is started that was never started, in milliseconds. */
  lateMs: number
  now: () => Date
  log: Logger
}

/** Turns of the deploys that begin in this process (docs/guides/how-a-request-travels.md#many-deploys-at-once). */
export interface RolloutTurns {
  /** Resolves when the deploy may begin; the caller calls `applied` or `end` after it. */
  begin: (app: string, project: string) => Promise<void>
  /** The Deployment was applied and changed: the turn ends with its first copy. */
  applied: (app: string) => void
  end: (app: string) => void
}
