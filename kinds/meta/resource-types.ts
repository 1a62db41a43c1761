/**
 * The kinds of the platform: where each is found on the cluster, and what the runs that reconcile its records are
 * called. Plain data, so that no schema is loaded for it.
 */
import { group, version } from './group.ts'

const ours = <Kind extends string, Plural extends string>(kind: Kind, plural: Plural) =>
  ({ group, version, kind, plural, namespaced: true }) as const

export const resourceTypes = {
  project: ours('SvcProject', 'svcprojects'),
  app: ours('SvcApp', 'svcapps'),
  database: ours('SvcDatabase', 'svcdatabases'),
  logicalDatabase: ours('SvcLogicalDatabase', 'svclogicaldatabases'),
  objectStore: ours('SvcObjectStore', 'svcobjectstores'),
  deployment: ours('SvcDeployment', 'svcdeployments'),
  build: ours('SvcBuild', 'svcbuilds'),
  cluster: ours('SvcCluster', 'svcclusters'),
  cloudConnection: ours('SvcCloudConnection', 'svccloudconnections'),
  platformConfig: ours('SvcPlatformConfig', 'svcplatformconfigs'),
  haReadiness: ours('SvcHAReadiness', 'svchareadinesses'),
  backupArchive: ours('SvcBackupArchive', 'svcbackuparchives'),
} as const

export type ResourceTypeName = keyof typeof resourceTypes

/**
 * The kinds that are provisioned in steps. `workflow` is the type on Temporal, `id` what its workflow ids begin with,
 * `records` the name of their records in code, `words` that in texts (docs/guides/adding-a-workflow.md).
 */
export const provisionedKinds = {
  database: { workflow: 'database', id: 'database', records: 'databases', words: 'databases' },
  logicalDatabase: {
    workflow: 'logicalDatabase',
    id: 'logical-database',
    records: 'logicalDatabases',
    words: 'logical databases',
  },
  objectStore: { workflow: 'objectStore', id: 'object-store', records: 'objectStores', words: 'object stores' },
  cloudConnection: {
    workflow: 'cloudConnection',
    id: 'cloud-connection',
    records: 'cloudConnections',
    words: 'cloud connections',
  },
} as const satisfies Partial<Record<ResourceTypeName, ReconciledNames>>

/** The kinds with a run for each of their records; the resync compares them in this order. */
export const comparedKinds = {
  project: { workflow: 'project', id: 'project', records: 'projects', words: 'projects' },
  app: { workflow: 'service', id: 'app', records: 'apps', words: 'services' },
  ...provisionedKinds,
} as const satisfies Partial<Record<ResourceTypeName, ReconciledNames>>

/** Every kind whose records are reconciled by a workflow; the platform has but one record. */
export const reconciledKinds = {
  ...comparedKinds,
  platform: { workflow: 'platform', id: 'platform', records: 'platformConfig', words: 'the platform' },
} as const satisfies Record<string, ReconciledNames>

export interface ReconciledNames {
  readonly workflow: string
  readonly id: string
  readonly records: string
  readonly words: string
}

export type ProvisionedKind = keyof typeof provisionedKinds
export type ComparedKind = keyof typeof comparedKinds
export type ReconciledKind = keyof typeof reconciledKinds
/** What the records of a kind are called in code, e.g. `databases`. */
export type RecordsName<K extends ComparedKind> = (typeof comparedKinds)[K]['records']

/** What CloudNativePG installs: it runs postgres, in several copies where that is asked for. */
export const postgresCluster = {
  group: 'postgresql.cnpg.io',
  version: 'v1',
  kind: 'Cluster',
  plural: 'clusters',
  namespaced: true,
} as const
