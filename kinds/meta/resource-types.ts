/**
 * The kinds of the platform: their place in the Kubernetes API, and the names of the runs that reconcile their records.
 * Plain data, so that importing it loads no schema.
 */
import type { RunKind } from '../../contract/runs/words.ts'
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

/** The names of the runs and records of a reconciled kind. */
export interface ReconciledNames {
  /** The workflow type on Temporal. */
  readonly workflow: string
  /** The prefix of its workflow ids. Callers filter runs by this word, so `runKinds` has to have it first. */
  readonly id: RunKind
  /** The name of its records in code, e.g. `logicalDatabases`. */
  readonly records: string
  /** The name of its records in texts, e.g. `logical databases`. */
  readonly words: string
}

/** The names of a kind whose records belong to a project. */
interface OwnedNames extends ReconciledNames {
  /** One of its records, in messages: `waiting for 1 bucket to be removed`. */
  readonly one: string
  /** The reason of its Ready condition once it is ready. */
  readonly ready: string
  /** Whether its records are removed with an environment, or with the project alone. */
  readonly livesIn: 'environment' | 'project'
}

/**
 * The kinds that are provisioned in steps, in the order of their removal: a kind comes before the kinds it depends on
 * (docs/guides/adding-a-workflow.md).
 */
export const provisionedKinds = {
  logicalDatabase: {
    workflow: 'logicalDatabase',
    id: 'logical-database',
    records: 'logicalDatabases',
    words: 'logical databases',
    one: 'logical database',
    ready: 'LogicalDatabaseReady',
    livesIn: 'environment',
  },
  database: {
    workflow: 'database',
    id: 'database',
    records: 'databases',
    words: 'databases',
    one: 'database',
    ready: 'DatabaseReady',
    livesIn: 'environment',
  },
  objectStore: {
    workflow: 'objectStore',
    id: 'object-store',
    records: 'objectStores',
    words: 'object stores',
    one: 'bucket',
    ready: 'ObjectStoreReady',
    livesIn: 'environment',
  },
  backupArchive: {
    workflow: 'backup',
    id: 'backup',
    records: 'backupArchives',
    words: 'backups',
    one: 'backup',
    ready: 'BackupVerified',
    livesIn: 'project',
  },
  cloudConnection: {
    workflow: 'cloudConnection',
    id: 'cloud-connection',
    records: 'cloudConnections',
    words: 'cloud connections',
    one: 'cloud connection',
    ready: 'Connected',
    livesIn: 'project',
  },
} as const satisfies Partial<Record<ResourceTypeName, OwnedNames>>

/** The kinds with a run for each record that are not provisioned in steps: each has a workflow of its own. */
export const ownWorkflowKinds = {
  project: { workflow: 'project', id: 'project', records: 'projects', words: 'projects' },
  app: { workflow: 'service', id: 'app', records: 'apps', words: 'services' },
  build: { workflow: 'build', id: 'build', records: 'builds', words: 'builds' },
} as const satisfies Partial<Record<ResourceTypeName, ReconciledNames>>

/** The kinds with a run for each record, in the order in which the resync compares them. */
export const comparedKinds = { ...ownWorkflowKinds, ...provisionedKinds } as const

/** Every kind whose records a workflow reconciles; the platform has one record only. */
export const reconciledKinds = {
  ...comparedKinds,
  platform: { workflow: 'platform', id: 'platform', records: 'platformConfig', words: 'the platform' },
} as const satisfies Record<string, ReconciledNames>

export type ProvisionedKind = keyof typeof provisionedKinds
export type OwnWorkflowKind = keyof typeof ownWorkflowKinds
export type ComparedKind = keyof typeof comparedKinds
export type ReconciledKind = keyof typeof reconciledKinds
/** The provisioned kinds whose records live in an environment, or in the project alone. */
export type KindIn<Place extends OwnedNames['livesIn']> = {
  [K in ProvisionedKind]: (typeof provisionedKinds)[K]['livesIn'] extends Place ? K : never
}[ProvisionedKind]
/** The name of a kind's records in code, e.g. `databases`. */
export type RecordsName<K extends ComparedKind> = (typeof comparedKinds)[K]['records']

/**
 * The resource type of CloudNativePG, which runs postgres servers, with several copies where a record asks for them.
 */
export const postgresCluster = {
  group: 'postgresql.cnpg.io',
  version: 'v1',
  kind: 'Cluster',
  plural: 'clusters',
  namespaced: true,
} as const

/**
 * The resource types of KEDA and its HTTP add-on: the route of the interceptor, which holds requests, and the scaler of
 * the copies.
 */
export const sleepTypes = {
  route: {
    group: 'http.keda.sh',
    version: 'v1beta1',
    kind: 'InterceptorRoute',
    plural: 'interceptorroutes',
    namespaced: true,
  },
  scaler: {
    group: 'keda.sh',
    version: 'v1alpha1',
    kind: 'ScaledObject',
    plural: 'scaledobjects',
    namespaced: true,
  },
} as const

/** The name of the CustomResourceDefinition of a type. */
export const definitionOf = ({ group: of, plural }: { group: string; plural: string }): string => `${plural}.${of}`

/** `http.keda.sh/v1beta1`: the apiVersion field of an object of a type that has a group. */
export const apiVersionOf = ({ group: of, version: its }: { group: string; version: string }): string => `${of}/${its}`

/** The provisioned kinds of one place, in the order of their removal. */
export function kindsIn<Place extends OwnedNames['livesIn']>(place: Place): KindIn<Place>[] {
  const kinds = Object.keys(provisionedKinds) as ProvisionedKind[]
  return kinds.filter((kind): kind is KindIn<Place> => provisionedKinds[kind].livesIn === place)
}
