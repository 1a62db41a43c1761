/** What the side effects of the durable stories work with; handed in by the worker. */

import type { ResourceCache } from '../cluster/cache.ts'
import type { ClusterClient } from '../cluster/client.ts'
import type { Logger } from '../cluster/log.ts'
import type { KubeObject } from '../cluster/object.ts'
import type { DeploymentView, PodView } from '../kinds/apps/health.ts'
import type { AutoHosts } from '../kinds/apps/address.ts'
import type { App } from '../kinds/apps/kind.ts'
import type { Deployment } from '../kinds/deployments/kind.ts'
import type { DeployNotice } from '../kinds/projects/deploy-notice.ts'
import type { Project } from '../kinds/projects/kind.ts'
import type { Registries } from '../outside/registry/registry.ts'
import type { RecordStore } from '../records/record-store.ts'

export type CachedDeployment = KubeObject & DeploymentView
export type CachedPod = KubeObject & PodView
export type CachedNamespace = KubeObject & { status?: { phase?: string } }

/** What is made for services and environments, as far as the worker watches it. */
export interface ChildCaches {
  namespaces: ResourceCache<CachedNamespace>
  deployments: ResourceCache<CachedDeployment>
  /** Indexed by `owner`: the uid of the service. */
  pods: ResourceCache<CachedPod>
  /** Metadata only: enough to tell whether an object is ours and unchanged. */
  serviceAccounts: ResourceCache<KubeObject>
  services: ResourceCache<KubeObject>
  ingresses: ResourceCache<KubeObject>
  autoscalers: ResourceCache<KubeObject>
  disruptionBudgets: ResourceCache<KubeObject>
  networkPolicies: ResourceCache<KubeObject>
}

/** A database, logical database or bucket, as far as it goes with its environment. */
export type CachedData = KubeObject & { spec: { project?: string; environment?: string } }

/** What holds data; indexed by `project` and, as `<project>-<environment>`, by `environment`. */
export interface DataCaches {
  databases: ResourceCache<CachedData>
  logicalDatabases: ResourceCache<CachedData>
  objectStores: ResourceCache<CachedData>
}

export interface PlacementSettings {
  ingressClass: string
  clusterIssuer: string
  /** Set where services without a host get one. */
  autoHosts?: AutoHosts
}

export interface ActivityNeeds {
  client: ClusterClient
  apps: RecordStore<App>
  projects: RecordStore<Project>
  deployments: RecordStore<Deployment>
  children: ChildCaches
  data: DataCaches
  placement: PlacementSettings
  /** What tags of images mean; undefined where nobody asks, so copies run by tag. */
  registries: Registries | undefined
  /** Restarts of a new copy that end an attempt, unless the service names a number. */
  crashRestarts: number
  /** How long a copy without a readiness probe must run before it counts as up. */
  steadyMs: number
  /** Starts the delivery of an event to a webhook; harmless to repeat, since each can be started once. */
  startDelivery: (webhook: string, notice: DeployNotice) => Promise<void>
  /** How long after an event a delivery whose start was lost is made good. */
  lateMs: number
  now: () => Date
  log: Logger
}

/** Which watch remembers the objects of a kind. */
export const memoryOf = {
  ServiceAccount: 'serviceAccounts',
  Service: 'services',
  Ingress: 'ingresses',
  HorizontalPodAutoscaler: 'autoscalers',
  PodDisruptionBudget: 'disruptionBudgets',
} as const satisfies Record<string, keyof ChildCaches>
