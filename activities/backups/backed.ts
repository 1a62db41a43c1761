/**
 * The record that a backup was taken of, read live: a database, a logical database with its server, or a bucket on the
 * object server.
 */
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { backedKind } from '../../kinds/backup-archives/rules.ts'
import { databaseState } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { logicalDatabaseState } from '../../kinds/logical-databases/rules.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { isBucketReady } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import type { ActivityNeeds } from '../context/needs.ts'

export type BackedRecord = Database | LogicalDatabase | ObjectStore

export interface BackedDatabase {
  kind: 'database'
  record: Database | LogicalDatabase
  /** The server that has the data; for a database the same record as `record`. */
  server: Database
  isReady: boolean
  /** Set if the backup is of a logical database. */
  logical?: LogicalDatabase
}

export interface BackedBucket {
  kind: 'bucket'
  record: ObjectStore
  isReady: boolean
}

export type Backed = BackedDatabase | BackedBucket

type Needs = Pick<ActivityNeeds, 'databases' | 'logicalDatabases' | 'objectStores'>

/** Undefined if the record is gone, or another one was created under its name. */
export async function readBacked(needs: Needs, { spec }: Pick<BackupArchive, 'spec'>): Promise<Backed | undefined> {
  const isThat = (record: BackedRecord) =>
    (spec.databaseUid === '' || record.metadata.uid === spec.databaseUid) &&
    record.spec.project === spec.project &&
    record.spec.environment === spec.environment
  const kind = backedKind(spec)
  if (kind === 'ObjectStore') {
    const record = await needs.objectStores.readLive(spec.database)
    if (record === undefined || !isThat(record)) return undefined
    return { kind: 'bucket', record, isReady: isBucketReady(record) }
  }
  if (kind === 'Database') {
    const record = await needs.databases.readLive(spec.database)
    if (record === undefined || !isThat(record)) return undefined
    return { kind: 'database', record, server: record, isReady: databaseState(record).state === 'ready' }
  }
  const logical = await needs.logicalDatabases.readLive(spec.database)
  const server = logical === undefined ? undefined : await needs.databases.readLive(logical.spec.serverRef)
  if (logical === undefined || server === undefined || !isThat(logical)) return undefined
  const answers = readyOf(server.status?.conditions)?.status === 'True'
  const isReady = answers && logicalDatabaseState(logical).state === 'ready'
  return { kind: 'database', record: logical, server, isReady, logical }
}
