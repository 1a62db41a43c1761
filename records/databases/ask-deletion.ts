/** Deletes a database's record. */
import { refusals, refuse } from '../../contract/problem.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { databaseRules, isSharedServer } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { chooseLastBackup } from '../backups/last-backup.ts'
import type { RecordStore } from '../store/record-store.ts'
import { noteAbandoned } from '../store/abandon.ts'
import { type HowDeleted, removeRecord } from '../store/edit-record.ts'
import { recordsOf } from '../place/records-of.ts'
import type { DatabaseNeeds } from './needs.ts'
import { staysAtPlanetScale } from './stays-there.ts'

interface Backups {
  backupArchives: RecordStore<BackupArchive>
}

/**
 * `database` is the live record, whose status shows what was made. Throws Problem not_found, and invalid_request when
 * `confirmName` is not the exact name, or while logical databases are on the server, with their names. With `abandon`
 * PlanetScale is not called, and the result lists in words what stays there; invalid_request for other databases.
 * Without `backupFirst` the deletion waits for no last backup; a repeated request with it takes a failed last backup
 * again (docs/reference/backups.md#before-a-deletion).
 */
export async function askDatabaseDeletion(
  needs: Pick<DatabaseNeeds, 'client' | 'databases' | 'logicalDatabases'> & Backups,
  database: Database,
  confirmName: string,
  { abandon = false, backupFirst = true, asked }: HowDeleted = {},
): Promise<string[]> {
  const { name } = database.metadata
  if (confirmName !== name) throw refuse(refusals.confirmation)
  const tenants = (await candidates(needs, database))
    .filter(({ spec }) => spec.serverRef === name)
    .map(({ metadata }) => metadata.name)
  if (tenants.length > 0)
    throw refuse(`delete the logical databases on this server first: ${tenants.slice(0, 5).join(', ')}`)
  if (abandon && databaseRules.variant(database) !== 'PlanetScale')
    throw refuse('only a database at PlanetScale can be abandoned')
  await removeRecord(needs.databases, 'database', database, confirmName, asked)
  if (!abandon) {
    await chooseLastBackup(needs.databases, needs.backupArchives, database, backupFirst, asked)
    return []
  }
  await noteAbandoned(needs.databases, database)
  return staysAtPlanetScale(needs.client, database)
}

/** Logical databases that may be on the server: those of its environment, or of every project for a shared server. */
async function candidates(
  { client, logicalDatabases }: Pick<DatabaseNeeds, 'client' | 'logicalDatabases'>,
  { spec }: Database,
): Promise<readonly LogicalDatabase[]> {
  if (!isSharedServer(spec))
    return recordsOf<LogicalDatabase>(client, logicalDatabases, resourceTypes.logicalDatabase, spec)
  return (await client.list<LogicalDatabase>(resourceTypes.logicalDatabase, { namespace: systemNamespace })).items
}
