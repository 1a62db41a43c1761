/** What the activities work with; handed in by the worker. */
import type { CacheEvent, ResourceCache } from '../../cluster/cache/cache.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Discovery } from '../../cluster/discovery.ts'
import type { Logger } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { FunctionSchedule } from '../../kinds/apps/schedules.ts'
import type { EnvironmentQuota } from '../../kinds/pods/environment-quota.ts'
import type { ServiceLevel } from '../../kinds/pods/security.ts'
import type { DeploymentView } from '../../kinds/apps/health.ts'
import type { ScalerView } from '../../kinds/apps/sleep.ts'
import type { AutoHosts } from '../../kinds/apps/hosts.ts'
import type { SleepSettings } from '../../kinds/apps/sleep-manifests.ts'
import type { RunnerImages } from '../../kinds/apps/function.ts'
import type { CheckLimits } from '../../kinds/builds/checks.ts'
import type { BuilderSettings } from '../../kinds/builds/job.ts'
import type { ReportRef } from '../../kinds/builds/report.ts'
import type { RecordOf } from '../../kinds/definitions.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import type { PodView } from '../../kinds/pods/trouble.ts'
import type { Notice } from '../../kinds/projects/notice.ts'
import {
  type ComparedKind,
  type ProvisionedKind,
  provisionedKinds,
  type RecordsName,
} from '../../kinds/meta/resource-types.ts'
import type { ReconciledRecord } from '../../kinds/provision/plan.ts'
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

/** What is made for services, databases, buckets and environments, as far as the worker watches it. */
export interface ChildCaches {
  namespaces: ResourceCache<CachedNamespace>
  deployments: ResourceCache<CachedDeployment>
  /** Indexed by `owner`: the uid of the service. */
  pods: ResourceCache<CachedPod>
  /** Metadata only: enough to decide whether an object is ours and unchanged. */
  serviceAccounts: ResourceCache<KubeObject>
  services: ResourceCache<KubeObject>
  ingresses: ResourceCache<KubeObject>
  autoscalers: ResourceCache<KubeObject>
  disruptionBudgets: ResourceCache<KubeObject>
  /** Of services and of single database servers. */
  volumeClaims: ResourceCache<KubeObject>
  /** Of the serverless add-on; both are empty where that is not installed. */
  interceptorRoutes: ResourceCache<KubeObject>
  scaledObjects: ResourceCache<CachedScaler>
  /** The definitions of these two kinds: by them a watch sees that the add-on comes or goes. */
  sleepKinds: readonly ResourceCache<KubeObject>[]
  /** Of databases and of the object server. */
  statefulSets: ResourceCache<CachedStatefulSet>
  jobs: ResourceCache<CachedJob>
  connectionSecrets: ConnectionSecrets
}

/** The Secrets that say how a database or bucket is reached, of svc-system and of every environment; metadata only. */
export interface ConnectionSecrets {
  /** False also while a namespace has not been looked at: what is not known is not missing. */
  isMissing: (name: string, namespace: string) => boolean
  onChange: (listener: (event: CacheEvent<KubeObject>) => void) => () => void
  /** Called with each namespace whose Secrets have come to be known. */
  onKnown: (listener: (namespace: string) => void) => () => void
}

export interface PlacementSettings {
  ingressClass: string
  clusterIssuer: string
  /** What a copy of a service may write beside volumes. */
  scratchLimit: string
  runners: RunnerImages
  /** What one environment may take. */
  quota: EnvironmentQuota
  /** What services of environments that are made from now on may do; see docs/guides/confinement.md#never-root. */
  podSecurity: ServiceLevel
  /** Set where services without a host get one. */
  autoHosts?: AutoHosts | undefined
  /** Where the serverless add-on is, should it be installed. */
  sleep: SleepSettings
  /** Where functions are called, for a worker that cannot reach the addresses of Services. */
  functionEndpoint?: { host: string; port: number }
  /** Hosts that belong to the platform itself; none where they are left out. */
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
  /** Where it answers, `http://host:port`; left out, at the address of its Service. */
  endpoint?: string
}

/** The Schedules of functions at Temporal; each of these may be repeated, and rejects when Temporal does not answer. */
export interface FunctionSchedules {
  /** Whether it is there, runs, and is up to date. */
  isUpToDate: (schedule: FunctionSchedule) => Promise<boolean>
  /** Makes it, or brings it to this; one that has what was asked for stays as it is. */
  put: (schedule: FunctionSchedule) => Promise<void>
  /** Starts no more runs until it is `put` again. */
  pause: (app: string, trigger: string) => Promise<void>
  remove: (app: string, trigger: string) => Promise<void>
  /** All there are, of whatever function; the newest ones may be left out. */
  list: () => Promise<readonly { app: string; trigger: string }[]>
}

/** The records of every kind that is compared: `apps`, `databases` and so on. */
export type RecordStores = { [K in ComparedKind as RecordsName<K>]: RecordStore<RecordOf<K>> }

/** The records of one kind, as what all provisioned kinds have in common. */
export function storeOf(stores: RecordStores, kind: ProvisionedKind): RecordStore<KubeObject & ReconciledRecord> {
  // Writes go through the very record that was read, so each stays of its own kind.
  return stores[provisionedKinds[kind].records] as unknown as RecordStore<KubeObject & ReconciledRecord>
}

/** What the watch sees of copies while the pass that made them waits for them within its workflow task. */
export interface CopiesNews {
  /** A pass over the service begins, and is going to wait. */
  expect: (app: string) => void
  /** The pass is over, and its wait comes next. */
  follow: (app: string) => void
  /** Waits for a reason to look, at most `milliseconds`. False when there was none, or when so many wait already. */
  wait: (app: string, milliseconds: number) => Promise<boolean>
  /** The pass does not wait after all. */
  release: (app: string) => void
}

export interface ActivityNeeds extends RecordStores {
  client: ClusterClient
  /** Which add-ons are installed. */
  discovery: Discovery
  deployments: RecordStore<Deployment>
  children: ChildCaches
  /** Whether the worker may work in a namespace of an environment by now. */
  access: EnvironmentAccess
  clouds: Clouds
  /** How long one pass may empty a bucket before it says how far it is. */
  emptyingMs: number
  /** After which a call to a cloud has come about, or never will. */
  cloudSettleMs: number
  placement: PlacementSettings
  objectServer: ObjectServerSettings
  gitHost: GitHost
  /** Pull requests there, as the app of this install. */
  pullRequests: PullRequestHost
  /** After which without a new commit the environment of a pull request is closed. */
  pullRequestIdleMs: number
  /** The image with rclone that Jobs of backups run. */
  backupImage: string
  /** What has a MySQL server and mysqlbinlog; '' for the image of each server itself. */
  binlogImage: string
  /** What builds run in. */
  builder: BuilderSettings
  /** How long builds wait for the checks of their commits. */
  checks: CheckLimits
  /** What image tags mean; undefined where registries are off, so copies run by tag. */
  registries: Registries | undefined
  /** Takes images of builds out of registries; undefined where they stay. */
  imageRemover: ImageRemover | undefined
  /** Restarts of a new copy that end an attempt, unless the service names a number. */
  crashRestarts: number
  /** How long a copy without a readiness probe must run before it counts as up. */
  steadyMs: number
  copiesNews: CopiesNews
  /** How long the deletion of a logical database waits for its drop. */
  dropMs: number
  schedules: FunctionSchedules
  /** Starts the delivery of an event to a webhook; harmless to repeat, since each can be started once. */
  startDelivery: (webhook: string, notice: Notice) => Promise<void>
  /** Begins, or wakes, the report of a deploy to the git host; harmless to repeat. `news`: what the report says. */
  startReport: (report: ReportRef, news: string) => Promise<void>
  /** How long after an event a delivery whose start was lost is made good. */
  lateMs: number
  now: () => Date
  log: Logger
}
