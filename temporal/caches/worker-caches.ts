/** The caches of the worker: the platform's records and the objects made for them, trimmed to what the rules read. */
import type {
  CachedDeployment,
  CachedJob,
  CachedNamespace,
  CachedPod,
  CachedScaler,
  CachedStatefulSet,
  ChildCaches,
} from '../../activities/context/needs.ts'
import type { WatchedCaches } from '../../activities/provision/watch-rules.ts'
import { type CacheOptions, ResourceCache } from '../../cluster/cache/cache.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Logger } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import type { RecordOf } from '../../kinds/definitions.ts'
import { hostKeys } from '../../kinds/apps/hosts.ts'
import { secretPurposes } from '../../kinds/secrets/named-secret.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import {
  type ComparedKind,
  comparedKinds,
  type OwnWorkflowKind,
  ownWorkflowKinds,
  type ProvisionedKind,
  provisionedKinds,
  type RecordsName,
  definitionOf,
  resourceTypes,
  sleepTypes,
} from '../../kinds/meta/resource-types.ts'
import { EnvironmentSecrets } from './environment-secrets.ts'
import { createReadinessCaches, type MakeCache, type ReadinessCaches } from './readiness-caches.ts'
import { defined } from '../../contract/defined.ts'

/** The records of kinds; indexed by `project`, by `environment` as `<project>-<environment>`, and by `uid`. */
type CachesOf<Kind extends ComparedKind> = { [K in Kind as RecordsName<K>]: ResourceCache<RecordOf<K>> }

export type DataCaches = CachesOf<ProvisionedKind> & Pick<WatchedCaches['data'], 'cloudKeys'>

/** The indexes that a kind has besides. */
const furtherIndexes: { [K in ComparedKind]?: CacheOptions<RecordOf<K>>['indexes'] } = {
  app: { host: hostKeys },
  build: { app: ({ spec }) => [spec.app] },
}

export interface WorkerCaches extends CachesOf<OwnWorkflowKind> {
  deployments: ResourceCache<Deployment>
  children: ChildCaches
  data: DataCaches
  readiness: ReadinessCaches
  platformConfig: ResourceCache<PlatformConfig>
  start(): Promise<void>
  stop(): Promise<void>
}

export function createWorkerCaches(client: ClusterClient, log: Logger): WorkerCaches {
  const all: Pick<ResourceCache<KubeObject>, 'start' | 'stop'>[] = []
  const made: MakeCache = <T extends KubeObject>(
    options: Omit<CacheOptions<T>, 'client' | 'log'>,
  ): ResourceCache<T> => {
    const cache = new ResourceCache<T>({ client, log, ...options })
    all.push(cache)
    return cache
  }
  const ours = { labelSelector: `${labels.managedBy}=${managedBySvc}` }
  const metadataCache = (type: ResourceType, optional = false) =>
    made<KubeObject>({ type, ...ours, metadataOnly: true, optional })
  const byOwner = { owner: (object: KubeObject) => [object.metadata.labels?.[labels.owner] ?? ''] }

  const deployments = made<Deployment>({
    type: resourceTypes.deployment,
    namespace: systemNamespace,
    indexes: { app: (record) => [record.spec.app] },
  })
  const namespaces = made<CachedNamespace>({ type: coreTypes.namespace, ...ours, indexes: byOwner })
  const connectionSecrets = new EnvironmentSecrets(client, namespaces, log)
  const children: ChildCaches = {
    namespaces,
    deployments: made<CachedDeployment>({ type: coreTypes.deployment, ...ours, trim: trimDeployment }),
    pods: made<CachedPod>({ type: coreTypes.pod, ...ours, trim: trimPod, indexes: byOwner }),
    serviceAccounts: metadataCache(coreTypes.serviceAccount),
    services: metadataCache(coreTypes.service),
    ingresses: metadataCache(coreTypes.ingress),
    autoscalers: metadataCache(coreTypes.horizontalPodAutoscaler),
    disruptionBudgets: metadataCache(coreTypes.podDisruptionBudget),
    volumeClaims: metadataCache(coreTypes.persistentVolumeClaim),
    interceptorRoutes: metadataCache(sleepTypes.route, true),
    scaledObjects: made<CachedScaler>({ type: sleepTypes.scaler, ...ours, trim: trimScaler, optional: true }),
    sleepKinds: Object.values(sleepTypes).map((type) =>
      made<KubeObject>({
        type: coreTypes.customResourceDefinition,
        fieldSelector: `metadata.name=${definitionOf(type)}`,
        metadataOnly: true,
      }),
    ),
    statefulSets: made<CachedStatefulSet>({ type: coreTypes.statefulSet, ...ours, trim: trimStatefulSet }),
    jobs: made<CachedJob>({ type: coreTypes.job, ...ours, trim: trimJob }),
    connectionSecrets,
  }
  return {
    ...createRecordCaches(made, ownWorkflowKinds),
    deployments,
    children,
    data: createDataCaches(made),
    readiness: createReadinessCaches(made),
    platformConfig: made<PlatformConfig>({ type: resourceTypes.platformConfig, namespace: systemNamespace }),
    start: async () => {
      await Promise.all(all.map((cache) => cache.start()))
      await connectionSecrets.start()
    },
    stop: async () => {
      await Promise.all([connectionSecrets.stop(), ...all.map((cache) => cache.stop())])
    },
  }
}

type Placed = KubeObject & { spec: { project?: string; environment?: string } }

/** A cache of the records of each of these kinds. */
function createRecordCaches<K extends ComparedKind>(made: MakeCache, kinds: Readonly<Record<K, object>>): CachesOf<K> {
  const caches = (Object.keys(kinds) as K[]).map((kind) => {
    const cache = made<Placed>({
      type: resourceTypes[kind],
      namespace: systemNamespace,
      indexes: {
        project: ({ spec }) => [spec.project ?? ''],
        environment: ({ spec }) => [namespaceOf(spec.project ?? '', spec.environment ?? '')],
        uid: ({ metadata }) => [metadata.uid ?? ''],
        ...(furtherIndexes[kind] as CacheOptions<Placed>['indexes']),
      },
    })
    return [comparedKinds[kind].records, cache] as const
  })
  return Object.fromEntries(caches) as unknown as CachesOf<K> // each of the records of its kind
}

function createDataCaches(made: MakeCache): DataCaches {
  return {
    ...createRecordCaches(made, provisionedKinds),
    cloudKeys: made<KubeObject>({
      type: coreTypes.secret,
      namespace: systemNamespace,
      labelSelector: `${labels.purpose}=${secretPurposes.cloudKeys}`,
      metadataOnly: true,
    }),
  }
}

function trimDeployment(object: CachedDeployment): CachedDeployment {
  const { apiVersion, kind, metadata, spec = {}, status } = object
  const { replicas, minReadySeconds } = spec
  return { apiVersion, kind, metadata, spec: defined({ replicas, minReadySeconds }), ...defined({ status }) }
}

function trimScaler({ apiVersion, kind, metadata, spec }: CachedScaler): CachedScaler {
  const { minReplicaCount } = spec ?? {}
  return { apiVersion, kind, metadata, spec: defined({ minReplicaCount }) }
}

function trimStatefulSet({ apiVersion, kind, metadata, spec, status }: CachedStatefulSet): CachedStatefulSet {
  return {
    apiVersion,
    kind,
    metadata,
    ...(spec?.replicas === undefined ? {} : { spec: { replicas: spec.replicas } }),
    ...defined({ status }),
  }
}

function trimJob({ apiVersion, kind, metadata, status }: CachedJob): CachedJob {
  return { apiVersion, kind, metadata, ...defined({ status }) }
}

function trimPod(object: CachedPod): CachedPod {
  const { apiVersion, kind, metadata, status } = object
  const { phase, conditions, containerStatuses, initContainerStatuses } = status ?? {}
  return {
    apiVersion,
    kind,
    metadata,
    status: {
      ...defined({ phase }),
      ...(conditions === undefined
        ? {}
        : {
            conditions: conditions.filter(
              (condition) => condition.type === 'PodScheduled' || condition.type === 'Ready',
            ),
          }),
      ...defined({ containerStatuses, initContainerStatuses }),
    },
  }
}
