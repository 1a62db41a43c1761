/** The rules by which the watch of a provisioned kind wakes a record; each kind has its own. */
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { backedKind, type BackedKind } from '../../kinds/backup-archives/rules.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Provisioned, ReconciledRecord } from '../../kinds/provision/plan.ts'
import type { ChildCaches } from '../context/needs.ts'

export interface WatchRules<T> {
  /** What a ready record is missing, by the caches, e.g. `Secret calm-otter-connection`; '' if nothing. */
  missing: (record: T) => string
  /** Other caches that `missing` reads, and which records an object of theirs concerns. */
  alsoOf?: readonly { cache: ResourceCache<KubeObject>; recordOf: (object: KubeObject) => readonly T[] }[]
  /** Whether a waiting record may go on after a change of another record, e.g. of its server. */
  dependsOn: (record: T, other: ReconciledRecord & KubeObject) => boolean
}

/** The caches of the worker that the rules read: they decide without a request to the cluster. */
export interface WatchedCaches {
  children: ChildCaches
  data: {
    cloudConnections: ResourceCache<CloudConnection>
    /** The Secrets with the keys of cloud connections; metadata only. */
    cloudKeys: ResourceCache<KubeObject>
  }
}

/** The connection Secret, if the status names one and it is missing. */
export function missingConnection(
  record: Provisioned & { status?: { connectionSecret?: string | undefined } },
  { connectionSecrets }: ChildCaches,
): string {
  const name = record.status?.connectionSecret
  return name !== undefined && connectionSecrets.isMissing(name, homeOf(record.spec)) ? `Secret ${name}` : ''
}

/** Whether `other` is a backup of the record of this name and kind: a deletion waits for its last backup. */
export function isBackupOf(other: KubeObject, name: string, kind: BackedKind): boolean {
  if (other.kind !== resourceTypes.backupArchive.kind) return false
  const { spec } = other as BackupArchive // as its kind says
  return spec.database === name && backedKind(spec) === kind
}

export const isConnection = ({ kind }: KubeObject): boolean => kind === resourceTypes.cloudConnection.kind
