/** What the watch of each provisioned kind compares. */
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { askedDrill, isDrillDue } from '../../kinds/backup-archives/drills.ts'
import { backedKind, type BackedKind } from '../../kinds/backup-archives/rules.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { type ProvisionedKind, provisionedKinds, resourceTypes } from '../../kinds/meta/resource-types.ts'
import { isObjectServer } from '../../kinds/object-stores/draft.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import { usersOf } from '../../kinds/connection-users.ts'
import type { ChildCaches } from '../../activities/context/needs.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { loginSecretName } from '../../kinds/logical-databases/names.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { isSharedServerName } from '../../kinds/logical-databases/shared-servers.ts'
import type { RecordOf } from '../../kinds/definitions.ts'
import type { ReconciledRecord } from '../../kinds/provision/plan.ts'
import { provisioned } from '../../activities/provisioned-kinds.ts'
import type { WorkerCaches } from '../caches/worker-caches.ts'
import { missingServer } from './missing-of-database.ts'
import { missingOfStore } from './missing-of-store.ts'
import { missingConnection, type ProvisionedKinds, watched, type WatchedKind } from './watch-provisioned.ts'

type Row<T extends ReconciledRecord & KubeObject> = Pick<WatchedKind<T>, 'missing' | 'dependsOn' | 'alsoOf'>

const rows = ({ data, children }: WorkerCaches): { [K in ProvisionedKind]: Row<RecordOf<K>> } => ({
  database: {
    missing: (database) => missingConnection(database, children) || missingServer(database, children),
    // A deletion waits for the logical databases on the server, and for a last backup, as a new version does.
    dependsOn: ({ metadata: { name } }, other) =>
      ('serverRef' in other.spec && other.spec.serverRef === name) || isBackupOf(other, name, 'Database'),
  },
  logicalDatabase: {
    missing: (database) => missingConnection(database, children) || missingCreation(database, children),
    // A logical database waits for its server, for the drop of an earlier one of its name, or for a last backup.
    dependsOn: ({ kind, metadata, spec }, other) =>
      other.kind === resourceTypes.database.kind
        ? other.metadata.name === spec.serverRef
        : (other.kind === kind && other.spec.project === spec.project) ||
          isBackupOf(other, metadata.name, 'LogicalDatabase'),
  },
  objectStore: {
    missing: (store) => missingOfStore(store, children),
    // Buckets wait for the server, and the server's deletion for its buckets; remote ones wait for their connection,
    // and a deletion for a last backup.
    dependsOn: (store, other) =>
      other.kind === store.kind
        ? isObjectServer(other.spec) !== isObjectServer(store.spec)
        : isBackupOf(other, store.metadata.name, 'ObjectStore') ||
          (isOfConnection(other) && usersOf(other.metadata.name, [store], []).length > 0),
  },
  backupArchive: {
    // Only the drill: the files of a backup are in a bucket, which no watch shows.
    missing: (archive) => (isDrillDue(archive) ? `the restore drill of ${askedDrill(archive)}` : ''),
    dependsOn: ({ spec }, other) =>
      (other.kind === backedTypes[backedKind(spec)].kind && other.metadata.name === spec.database) ||
      ((isOfConnection(other) || other.kind === resourceTypes.objectStore.kind) &&
        other.metadata.name === spec.connectionRef.name),
  },
  cloudConnection: {
    missing: (connection) => missingCheck(connection, data.cloudKeys),
    alsoOf: [
      {
        cache: data.cloudKeys,
        recordOf: ({ metadata }) =>
          data.cloudConnections.list().filter(({ spec }) => spec.secretRef.name === metadata.name),
      },
    ],
    // The deletion of a connection waits for the records that use it.
    dependsOn: ({ kind, metadata, spec }, other) =>
      other.kind !== kind && metadata.deletionTimestamp !== undefined && other.spec.project === spec.project,
  },
})

/** The watch of each provisioned kind: a further kind is one more row above. */
export function watchedKinds(caches: WorkerCaches): ProvisionedKinds[] {
  const row = rows(caches)
  return (Object.keys(provisionedKinds) as ProvisionedKind[]).map((kind) =>
    watched({
      kind,
      cache: caches.data[provisionedKinds[kind].records],
      rules: provisioned[kind].rules,
      ...row[kind],
      // The cast is safe: cache, rules and row are looked up by the same kind.
    } as unknown as WatchedKind<ReconciledRecord & KubeObject>),
  )
}

const backedTypes = {
  Database: resourceTypes.database,
  LogicalDatabase: resourceTypes.logicalDatabase,
  ObjectStore: resourceTypes.objectStore,
} satisfies Record<BackedKind, unknown>

function isBackupOf(other: KubeObject, name: string, kind: BackedKind): boolean {
  if (other.kind !== resourceTypes.backupArchive.kind) return false
  const { spec } = other as BackupArchive // as its kind says
  return spec.database === name && backedKind(spec) === kind
}

const isOfConnection = ({ kind }: KubeObject): boolean => kind === resourceTypes.cloudConnection.kind

/**
 * The check that is missing if the keys were written after the last one, also while no worker ran. A Secret without
 * svc's label is not watched.
 */
function missingCheck({ spec, status }: CloudConnection, keys: ResourceCache<KubeObject>): string {
  const version = keys.get(spec.secretRef.name, systemNamespace)?.metadata.resourceVersion
  return version === undefined || version === status?.checkedKeys ? '' : `a check of its keys as of ${version}`
}

/** The creation Job of a logical database, or on the shared server the Secret of its login, if one is missing. */
function missingCreation(
  { metadata, spec, status }: LogicalDatabase,
  { connectionSecrets, jobs }: ChildCaches,
): string {
  const shared = isSharedServerName(spec.serverRef)
  if (shared && connectionSecrets.isMissing(loginSecretName(metadata.name), systemNamespace))
    return `Secret ${loginSecretName(metadata.name)}`
  const { jobName } = status ?? {}
  const namespace = shared ? systemNamespace : namespaceOf(spec.project, spec.environment)
  return jobName === undefined || jobs.get(jobName, namespace) !== undefined ? '' : `Job ${jobName}`
}
