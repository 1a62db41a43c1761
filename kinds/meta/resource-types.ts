/**
 * The kinds of the platform: where each is found on the cluster, and what the runs that reconcile its records are
 * called. Plain data, so that no schema is loaded for it.
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

/** What the runs and records of a reconciled kind are called. */
export interface ReconciledNames {
  /** The workflow type on Temporal. */
  readonly workflow: string
  /** What its workflow ids begin with: a word that callers ask for, so each has to be in `runKinds` first. */
  readonly id: RunKind
  /** What code calls records of the kind, e.g. `logicalDatabases`. */
  readonly records: string
  /** What texts call records of the kind, e.g. `logical databases`. */
  readonly words: string
}

/** The same of a kind whose records belong to a project. */
interface OwnedNames extends ReconciledNames {
  /** One of its records, to a user: `waiting for 1 bucket to be removed`. */
  readonly one: string
  /** The reason of its Ready condition once it is ready. */
  readonly ready: string
  /** Whether its records go with an environment, or with the project alone. */
  readonly livesIn: 'environment' | 'project'
}

/**
 * The kinds that are provisioned in steps, in the order in which they are removed: what is on another comes before it
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

/** The kinds with a run for each of their records; the resync compares them in this order. */
export const comparedKinds = {
  project: { workflow: 'project', id: 'project', records: 'projects', words: 'projects' },
  app: { workflow: 'service', id: 'app', records: 'apps', words: 'services' },
  build: { workflow: 'build', id: 'build', records: 'builds', words: 'builds' },
  ...provisionedKinds,
} as const satisfies Partial<Record<ResourceTypeName, ReconciledNames>>

/** Every kind whose records are reconciled by a workflow; the platform has but one record. */
export const reconciledKinds = {
  ...comparedKinds,
  platform: { workflow: 'platform', id: 'platform', records: 'platformConfig', words: 'the platform' },
} as const satisfies Record<string, ReconciledNames>

export type ProvisionedKind = keyof typeof provisionedKinds
export type ComparedKind = keyof typeof comparedKinds
export type ReconciledKind = keyof typeof reconciledKinds
/** The provisioned kinds whose records live in an environment, or in the project alone. */
export type KindIn<Place extends OwnedNames['livesIn']> = {
  [K in ProvisionedKind]: (typeof provisionedKinds)[K]['livesIn'] extends Place ? K : never
}[ProvisionedKind]
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

/** What KEDA with its HTTP add-on installs: who holds requests, and what scales copies from none and back. */
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

/** The name of the definition that adds a type to a cluster. */
export const definitionOf = ({ group: of, plural }: { group: string; plural: string }): string => `${plural}.${of}`

/** `http.keda.sh/v1beta1`: the apiVersion field of an object of a type that has a group. */
export const apiVersionOf = ({ group: of, version: its }: { group: string; version: string }): string => `${of}/${its}`

/** The provisioned kinds of one place, in the order of their removal. */
export function kindsIn<Place extends OwnedNames['livesIn']>(place: Place): KindIn<Place>[] {
  const kinds = Object.keys(provisionedKinds) as ProvisionedKind[]
  return kinds.filter((kind): kind is KindIn<Place> => provisionedKinds[kind].livesIn === place)
}
