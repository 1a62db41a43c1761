/**
 * The caches of an api process: every record of the platform, the Secrets for signing in, and the needed part of nodes
 * and pods.
 */
import { ResourceCache } from '../../cluster/cache/cache.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Logger } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { hostKeys } from '../../kinds/apps/hosts.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { buildsNamespace } from '../../kinds/builds/names.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import type { Cluster } from '../../kinds/clusters/kind.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { HaReadiness } from '../../kinds/ha-readiness/kind.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { authLabel, type AuthSecret } from '../../records/secrets/auth-secret.ts'
import {
  trimClaim,
  trimNode,
  trimPod,
  trimWorkload,
  type ClaimSeen,
  type NodeSeen,
  type PodSeen,
  type WorkloadSeen,
} from './trim.ts'

/** The index of services, databases and the like by their environment; see `placeKey`. */
export const byPlace = 'place'
/** The index of deployment records, builds and pods by their service. */
export const byApp = 'app'
/** The index of pods by the uid of their build. */
export const byBuild = 'build'
/** The index of services by their project. */
export const byProject = 'project'
/** The index of the services that have a volume, all under one key. */
export const byVolume = 'volume'
/** The index of services by public host; see `hostKeys`. */
const byHost = 'host'

export const placeKey = (project: string, environment: string): string => `${project}/${environment}`

export interface Caches {
  readonly projects: ResourceCache<Project>
  readonly apps: ResourceCache<App>
  readonly databases: ResourceCache<Database>
  readonly logicalDatabases: ResourceCache<LogicalDatabase>
  readonly objectStores: ResourceCache<ObjectStore>
  readonly deployments: ResourceCache<Deployment>
  readonly builds: ResourceCache<Build>
  readonly clusters: ResourceCache<Cluster>
  readonly cloudConnections: ResourceCache<CloudConnection>
  readonly platformConfig: ResourceCache<PlatformConfig>
  readonly haReadiness: ResourceCache<HaReadiness>
  readonly backupArchives: ResourceCache<BackupArchive>
  readonly authSecrets: ResourceCache<AuthSecret>
  readonly nodes: ResourceCache<NodeSeen>
  readonly pods: ResourceCache<PodSeen>
  /** The Deployments of services, for the number of copies that run now. */
  readonly workloads: ResourceCache<WorkloadSeen>
  readonly storageClasses: ResourceCache<StorageClassSeen>
  /** The PersistentVolumeClaims, for the storage that is reserved. */
  readonly claims: ResourceCache<ClaimSeen>
}

export type CacheName = keyof Caches

/** A StorageClass, untrimmed, as it is small. */
export interface StorageClassSeen extends KubeObject {
  allowVolumeExpansion?: boolean
}

/** Creates the caches without starting them. */
export function createCaches(client: ClusterClient, log: Logger): Caches {
  type Placed = KubeObject & { spec: { project?: string | undefined; environment?: string | undefined } }
  const ours = <T extends KubeObject>(type: ResourceType, indexes: Record<string, (object: T) => string[]> = {}) =>
    new ResourceCache<T>({ client, type, namespace: systemNamespace, indexes, log })
  const placed = <T extends Placed>(type: ResourceType, indexes: Record<string, (object: T) => string[]> = {}) =>
    ours<T>(type, {
      [byPlace]: ({ spec }) => [placeKey(spec.project ?? '', spec.environment ?? '')],
      [byProject]: ({ spec }) => [spec.project ?? ''],
      ...indexes,
    })
  return {
    projects: ours<Project>(resourceTypes.project),
    apps: placed<App>(resourceTypes.app, {
      [byHost]: hostKeys,
      [byVolume]: ({ status }) => (status?.volume === undefined ? [] : [byVolume]),
    }),
    databases: placed<Database>(resourceTypes.database),
    logicalDatabases: placed<LogicalDatabase>(resourceTypes.logicalDatabase),
    objectStores: placed<ObjectStore>(resourceTypes.objectStore),
    deployments: ours<Deployment>(resourceTypes.deployment, { [byApp]: ({ spec }) => [spec.app] }),
    builds: ours<Build>(resourceTypes.build, { [byApp]: ({ spec }) => [spec.app] }),
    clusters: ours<Cluster>(resourceTypes.cluster),
    cloudConnections: ours<CloudConnection>(resourceTypes.cloudConnection),
    platformConfig: ours<PlatformConfig>(resourceTypes.platformConfig),
    haReadiness: ours<HaReadiness>(resourceTypes.haReadiness),
    backupArchives: placed<BackupArchive>(resourceTypes.backupArchive),
    authSecrets: new ResourceCache<AuthSecret>({
      client,
      type: coreTypes.secret,
      namespace: systemNamespace,
      labelSelector: authLabel,
      log,
    }),
    nodes: new ResourceCache<NodeSeen>({ client, type: coreTypes.node, log, trim: trimNode }),
    pods: new ResourceCache<PodSeen>({
      client,
      type: coreTypes.pod,
      log,
      trim: trimPod,
      indexes: {
        [byApp]: ({ metadata }) =>
          metadata.labels?.[labels.app] === undefined ? [] : [metadata.labels[labels.app] ?? ''],
        [byBuild]: ({ metadata }) =>
          metadata.namespace === buildsNamespace ? [metadata.labels?.[labels.owner] ?? ''] : [],
      },
    }),
    workloads: new ResourceCache<WorkloadSeen>({
      client,
      type: coreTypes.deployment,
      labelSelector: `${labels.managedBy}=${managedBySvc}`,
      log,
      trim: trimWorkload,
    }),
    storageClasses: new ResourceCache<StorageClassSeen>({ client, type: coreTypes.storageClass, log }),
    claims: new ResourceCache<ClaimSeen>({ client, type: coreTypes.persistentVolumeClaim, log, trim: trimClaim }),
  }
}

/** Resolves when every cache holds its first list. */
export async function startCaches(caches: Caches): Promise<void> {
  await Promise.all(Object.values(caches).map((cache: { start(): Promise<void> }) => cache.start()))
}

export async function stopCaches(caches: Caches): Promise<void> {
  await Promise.all(Object.values(caches).map((cache: { stop(): Promise<void> }) => cache.stop()))
}

const defaultClass = 'storageclass.kubernetes.io/is-default-class'

/** The StorageClass of volumes that name none. */
export function defaultStorage({ storageClasses }: Caches): StorageClassSeen | undefined {
  return storageClasses.list().find(({ metadata }) => metadata.annotations?.[defaultClass] === 'true')
}

/** The StorageClass of this name, or the default one where no name is given. */
export function storageOf(caches: Caches, className: string | undefined): StorageClassSeen | undefined {
  return className === undefined ? defaultStorage(caches) : caches.storageClasses.get(className, '')
}
