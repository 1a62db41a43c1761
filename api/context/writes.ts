/** The record stores of the platform and the needs of their writers, made from the caches of this process. */
import type { ClusterClient } from '../../cluster/client.ts'
import { createDiscovery } from '../../cluster/discovery.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { hostsOf, hostTrouble, type HostTrouble } from '../../kinds/apps/hosts.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { volumeClaimName } from '../../kinds/apps/names.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { nodeChoiceOf } from '../../kinds/placement/node-choice.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { reservedHosts } from '../../kinds/platform/address.ts'
import { platformHosts } from '../../kinds/platform/plan.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { comparedKinds, postgresCluster, resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { AcceptNeeds } from '../../records/apps/accept-deploy.ts'
import type { CreateNeeds } from '../../records/apps/create-draft.ts'
import type { VolumeNeeds } from '../../records/apps/save-settings.ts'
import { createCapacityReserver, type CapacityReserver } from '../../records/apps/reserve-capacity.ts'
import type { ConnectionNeeds } from '../../records/cloud-connections/create-connection.ts'
import type { BackupNeeds } from '../../records/backups/ask-backup.ts'
import type { DatabaseNeeds } from '../../records/databases/needs.ts'
import type { LogicalDatabaseNeeds } from '../../records/logical-databases/create-logical-database.ts'
import type { StoreNeeds } from '../../records/object-stores/needs.ts'
import type { DeletionNeeds } from '../../records/projects/ask-deletion.ts'
import type { BackupStorageNeeds } from '../../records/projects/backup-storage.ts'
import type { ContentNeeds } from '../../records/projects/edit-project.ts'
import type { ComplianceNeeds } from '../../records/projects/required-tags.ts'
import type { RecordStore } from '../../records/store/record-store.ts'
import { createNames } from '../../records/place/names.ts'
import { recordsOf } from '../../records/place/records-of.ts'
import type { ConfigNeeds } from '../../records/settings/platform-config.ts'
import { byPlace, defaultStorage, placeKey, storageOf, type Caches } from './caches.ts'
import type { NodeSeen } from './trim.ts'

/** The record stores of the handlers: reads from the cache, conditional writes. */
export interface Records {
  readonly projects: RecordStore<Project>
  readonly apps: RecordStore<App>
  readonly deployments: RecordStore<Deployment>
  readonly builds: RecordStore<Build>
  readonly databases: RecordStore<Database>
  readonly logicalDatabases: RecordStore<LogicalDatabase>
  readonly objectStores: RecordStore<ObjectStore>
  readonly cloudConnections: RecordStore<CloudConnection>
  readonly backupArchives: RecordStore<BackupArchive>
}

export type Writes = AcceptNeeds &
  CreateNeeds &
  VolumeNeeds &
  ContentNeeds &
  DeletionNeeds &
  ComplianceNeeds &
  BackupNeeds &
  BackupStorageNeeds &
  DatabaseNeeds &
  LogicalDatabaseNeeds &
  StoreNeeds &
  ConfigNeeds &
  ConnectionNeeds & { readonly capacity: CapacityReserver }

export interface WriteSources {
  readonly client: ClusterClient
  readonly caches: Caches
  readonly records: Records
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

export function createWrites({ client, caches, records, clock }: WriteSources): Writes {
  const discovery = createDiscovery(client)
  const capacity = createCapacityReserver({
    client,
    nodes: () => caches.nodes.list(),
    pods: () => caches.pods.list(),
    choiceOf: (project) => nodeChoiceOf(caches.projects.get(project, systemNamespace)),
    now: clock,
  })
  return {
    ...records,
    client,
    now: () => new Date(clock()),
    capacity,
    reserve: ({ metadata }, wanted, attempt) => capacity.reserve(metadata.name, wanted, attempt),
    reserveCapacity: capacity.reserveCapacity,
    names: createNames(client, {
      has: (kind, name) => caches[comparedKinds[kind].records].get(name, systemNamespace) !== undefined,
      in: (kind, { project, environment }) =>
        caches[comparedKinds[kind].records].by(byPlace, placeKey(project, environment)),
    }),
    expandable: () => defaultStorage(caches)?.allowVolumeExpansion === true,
    canReplicate: () => discovery.hasType(postgresCluster),
    // Read live: it may have been made, or made again for another project, a moment ago.
    cloudConnection: records.cloudConnections.readLive,
    hostTrouble: async (host, name, place) => {
      const trouble = hostTroubleIn(caches, host, name, place)
      if (trouble !== 'service') return trouble
      await Promise.all(caches.apps.by('host', host).map(({ metadata }) => records.apps.readLive(metadata.name)))
      return hostTroubleIn(caches, host, name, place)
    },
    volumeOf: ({ metadata: { name, uid }, spec, status }) => {
      const { metadata, spec: has } =
        caches.claims.get(volumeClaimName(name), status?.targetNamespace ?? targetNamespace(spec)) ?? {}
      const size = has?.resources?.requests?.['storage']
      if (size === undefined || metadata?.labels?.[labels.owner] !== uid) return undefined
      return { size, expandable: storageOf(caches, has?.storageClassName)?.allowVolumeExpansion === true }
    },
    contentsOf: async (project, environment) => {
      // Listed live, too: the cache may not have what another replica created a moment ago.
      const labelSelector = `${labels.project}=${project},${labels.environment}=${environment}`
      const query = { namespace: systemNamespace, labelSelector, metadataOnly: true }
      const types = [
        resourceTypes.app,
        resourceTypes.database,
        resourceTypes.logicalDatabase,
        resourceTypes.objectStore,
      ]
      const live = await Promise.all(types.map(async (type) => (await client.list<KubeObject>(type, query)).items))
      const services = [...caches.apps.by(byPlace, placeKey(project, environment)), ...live.flat()].map(
        ({ metadata }) => metadata.name,
      )
      return [...new Set([...services, ...others(caches, project, environment)])]
    },
    keepConfig: (config) => caches.platformConfig.put(config),
    nodesNow: async () => (await client.list<NodeSeen>(coreTypes.node)).items,
    databasesOf: async (project) => {
      // An unknown project may not even be a valid label value.
      if ((await records.projects.read(project)) === undefined) return []
      return await recordsOf(client, records.databases, resourceTypes.database, { project })
    },
    storesOf: (project) => recordsOf(client, records.objectStores, resourceTypes.objectStore, { project }),
  }
}

/** Why a service may not have a host, by the caches alone. */
function hostTroubleIn(
  caches: Caches,
  host: string,
  name: string,
  place: { project?: string; environment?: string },
): HostTrouble | undefined {
  const saved = caches.apps.get(name, systemNamespace)
  const { project = saved?.spec.project ?? '', environment = saved?.spec.environment ?? '' } = place
  const config = caches.platformConfig.get(platformConfigName, systemNamespace)
  const rules = { auto: platformHosts(config), reserved: reservedHosts(config?.spec), services: caches.apps }
  const has = saved !== undefined && hostsOf(saved.spec).includes(host)
  const asking = { metadata: { name }, spec: { project, environment } }
  return hostTrouble(host, asking, rules, has ? saved : undefined, true)
}

/** Names of other resources in an environment: a service of the same name would clash with their objects. */
function others({ databases, logicalDatabases, objectStores }: Caches, project: string, environment: string): string[] {
  const key = placeKey(project, environment)
  return [databases, logicalDatabases, objectStores].flatMap((cache) =>
    cache.by(byPlace, key).map(({ metadata }) => metadata.name),
  )
}
