/** What a backup is of, as the cluster has it now: a database, or a logical database with the server that it is on. */

import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { isLogical } from '../../kinds/backup-archives/rules.ts'
import { databaseState } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { logicalDatabaseState } from '../../kinds/logical-databases/rules.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import type { ActivityNeeds } from '../context/needs.ts'

export interface Backed {
  record: Database | LogicalDatabase
  /** What has the data: of a database the very same record. */
  server: Database
  isReady: boolean
  /** The logical database that it is of. */
  logical?: LogicalDatabase
}

type Needs = Pick<ActivityNeeds, 'databases' | 'logicalDatabases'>

/** Undefined where it is gone, or another was made under its name. */
export async function readBacked(needs: Needs, { spec }: Pick<BackupArchive, 'spec'>): Promise<Backed | undefined> {
  const isThat = (record: Database | LogicalDatabase) =>
    (spec.databaseUid === '' || record.metadata.uid === spec.databaseUid) &&
    record.spec.project === spec.project &&
    record.spec.environment === spec.environment
  if (!isLogical(spec)) {
    const record = await needs.databases.readLive(spec.database)
    if (record === undefined || !isThat(record)) return undefined
    return { record, server: record, isReady: databaseState(record).state === 'ready' }
  }
  const logical = await needs.logicalDatabases.readLive(spec.database)
  const server = logical === undefined ? undefined : await needs.databases.readLive(logical.spec.serverRef)
  if (logical === undefined || server === undefined || !isThat(logical)) return undefined
  const answers = readyOf(server.status?.conditions)?.status === 'True'
  return { record: logical, server, isReady: answers && logicalDatabaseState(logical).state === 'ready', logical }
}
