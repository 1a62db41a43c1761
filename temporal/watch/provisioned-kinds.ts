/** What the watch looks at for each kind that is provisioned. */

import type { ResourceCache } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { databaseRules } from '../../kinds/databases/draft.ts'
import { isObjectServer, storeRules } from '../../kinds/object-stores/draft.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import { connectionRules } from '../../kinds/cloud-connections/rules.ts'
import { usersOf } from '../../kinds/connection-users.ts'
import type { ChildCaches } from '../../activities/context/needs.ts'
import { logicalDatabaseRules } from '../../kinds/logical-databases/rules.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { loginSecretName } from '../../kinds/logical-databases/names.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { isSharedServerName } from '../../kinds/logical-databases/shared-servers.ts'
import type { WorkerCaches } from '../worker-caches.ts'
import { lacksServer } from './database-lacks.ts'
import { lacksOfStore } from './lacks-of-store.ts'
import { lacksConnection, type ProvisionedKinds, watched } from './watch-provisioned.ts'

export const provisionedKinds = ({ data, children }: WorkerCaches): ProvisionedKinds[] => [
  watched({
    kind: 'logicalDatabase',
    cache: data.logicalDatabases,
    rules: logicalDatabaseRules,
    lacks: (database) => lacksConnection(database, children) || lacksCreation(database, children),
    // Its server, or an earlier one of its name that is being dropped.
    dependsOn: ({ kind, spec }, other) =>
      other.kind === resourceTypes.database.kind
        ? other.metadata.name === spec.serverRef
        : other.kind === kind && other.spec.project === spec.project,
  }),
  watched({
    kind: 'database',
    cache: data.databases,
    rules: databaseRules,
    lacks: (database) => lacksConnection(database, children) || lacksServer(database, children),
    // A deletion waits for the logical databases on the server.
    dependsOn: (database, other) => 'serverRef' in other.spec && other.spec.serverRef === database.metadata.name,
  }),
  watched({
    kind: 'objectStore',
    cache: data.objectStores,
    rules: storeRules,
    lacks: (store) => lacksOfStore(store, children),
    // Buckets wait for the server, and the server's deletion for its buckets; remote ones wait for their connection.
    dependsOn: (store, other) =>
      other.kind === store.kind
        ? isObjectServer(other.spec) !== isObjectServer(store.spec)
        : isOfConnection(other) && usersOf(other.metadata.name, [store], []).length > 0,
  }),
  watched({
    kind: 'cloudConnection',
    cache: data.cloudConnections,
    rules: connectionRules,
    lacks: (connection) => lacksCheck(connection, data.cloudKeys),
    alsoOf: [
      {
        cache: data.cloudKeys,
        recordOf: ({ metadata }) =>
          data.cloudConnections.list().filter(({ spec }) => spec.secretRef.name === metadata.name),
      },
    ],
    // Its deletion waits for whatever uses it.
    dependsOn: ({ kind, metadata, spec }, other) =>
      other.kind !== kind && metadata.deletionTimestamp !== undefined && other.spec.project === spec.project,
  }),
]

const isOfConnection = ({ kind }: KubeObject): boolean => kind === resourceTypes.cloudConnection.kind

/**
 * Keys that were written after the last check, also while no worker ran. A Secret without svc's label is not watched.
 */
function lacksCheck({ spec, status }: CloudConnection, keys: ResourceCache<KubeObject>): string {
  const version = keys.get(spec.secretRef.name, systemNamespace)?.metadata.resourceVersion
  return version === undefined || version === status?.checkedKeys ? '' : `a check of its keys as of ${version}`
}

/** The Job that made it, and on the shared server the Secret that its login is kept in. */
function lacksCreation({ metadata, spec, status }: LogicalDatabase, { connectionSecrets, jobs }: ChildCaches): string {
  const shared = isSharedServerName(spec.serverRef)
  if (shared && connectionSecrets.lacks(loginSecretName(metadata.name), systemNamespace))
    return `Secret ${loginSecretName(metadata.name)}`
  const { jobName } = status ?? {}
  const namespace = shared ? systemNamespace : namespaceOf(spec.project, spec.environment)
  return jobName === undefined || jobs.get(jobName, namespace) !== undefined ? '' : `Job ${jobName}`
}
