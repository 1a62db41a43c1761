/** Asks for a database to be deleted. */
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
import { removeRecord } from '../store/edit-record.ts'
import { recordsOf } from '../place/records-of.ts'
import type { DatabaseNeeds } from './needs.ts'
import { staysAtPlanetScale } from './stays-there.ts'

interface Backups {
  backupArchives: RecordStore<BackupArchive>
}

/**
 * `database` is as the cluster has it: its status notes what it has made. Throws Problem not_found, and invalid_request
 * when the name was not typed again exactly or while logical databases are on it, naming them. With `abandon`
 * PlanetScale is not asked, and what stays there is the answer, in words; invalid_request for others. Without
 * `backupFirst` the deletion waits for no last backup; asked again with it, a last backup that failed is tried anew
 * (docs/reference/backups.md#before-a-deletion).
 */
export async function askDatabaseDeletion(
  needs: Pick<DatabaseNeeds, 'client' | 'databases' | 'logicalDatabases'> & Backups,
  database: Database,
  confirmName: string,
  { abandon = false, backupFirst = true }: { abandon?: boolean; backupFirst?: boolean } = {},
): Promise<string[]> {
  const { name } = database.metadata
  if (confirmName !== name) throw refuse(refusals.confirmation)
  const tenants = (await candidates(needs, database))
    .filter(({ spec }) => spec.serverRef === name)
    .map(({ metadata }) => metadata.name)
  if (tenants.length > 0)
    throw refuse(`delete the logical databases on this server first: ${tenants.slice(0, 5).join(', ')}`)
  if (abandon && databaseRules.variant(database) !== 'PlanetScale')
    throw refuse('only a database at PlanetScale can be let go with abandon')
  await removeRecord(needs.databases, 'database', database, confirmName)
  if (!abandon) {
    await chooseLastBackup(needs.databases, needs.backupArchives, database, backupFirst)
    return []
  }
  await noteAbandoned(needs.databases, database)
  return staysAtPlanetScale(needs.client, database)
}

/** Logical databases that may be on the server: those of its environment; of any project where the server is shared. */
async function candidates(
  { client, logicalDatabases }: Pick<DatabaseNeeds, 'client' | 'logicalDatabases'>,
  { spec }: Database,
): Promise<readonly LogicalDatabase[]> {
  if (!isSharedServer(spec))
    return recordsOf<LogicalDatabase>(client, logicalDatabases, resourceTypes.logicalDatabase, spec)
  return (await client.list<LogicalDatabase>(resourceTypes.logicalDatabase, { namespace: systemNamespace })).items
}
