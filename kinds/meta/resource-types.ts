/** Where each kind of the platform is found on the cluster; plain data, so that no schema is loaded for it. */
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

/** What CloudNativePG installs: it runs postgres, in several copies where that is asked for. */
export const postgresCluster = {
  group: 'postgresql.cnpg.io',
  version: 'v1',
  kind: 'Cluster',
  plural: 'clusters',
  namespaced: true,
} as const
