/** Asks for a database to be deleted. */

import { refusals, refuse } from '../../contract/problem.ts'
import { isSharedServer } from '../../kinds/databases/in-force.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { systemNamespace } from '../../kinds/group.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { resourceTypes } from '../../kinds/resource-types.ts'
import { removeRecord } from '../edit-record.ts'
import { recordsOf } from '../records-of.ts'
import type { DatabaseNeeds } from './needs.ts'

/**
 * Throws Problem not_found, and invalid_request when the name was not typed again exactly or while logical databases are on
 * it, naming them.
 */
export async function askDatabaseDeletion(
  needs: Pick<DatabaseNeeds, 'client' | 'databases' | 'logicalDatabases'>,
  database: Database,
  confirmName: string,
): Promise<void> {
  const { name } = database.metadata
  if (confirmName !== name) throw refuse(refusals.confirmation)
  const tenants = (await candidates(needs, database)).filter(({ spec }) => spec.serverRef === name).map(({ metadata }) => metadata.name)
  if (tenants.length > 0) throw refuse(`delete the logical databases on this server first: ${tenants.slice(0, 5).join(', ')}`)
  await removeRecord(needs.databases, 'database', database, confirmName)
}

/** Those of its own environment; any project may be on the shared server. */
async function candidates(
  { client, logicalDatabases }: Pick<DatabaseNeeds, 'client' | 'logicalDatabases'>,
  { spec }: Database,
): Promise<readonly LogicalDatabase[]> {
  if (!isSharedServer(spec)) return recordsOf<LogicalDatabase>(client, logicalDatabases, resourceTypes.logicalDatabase, spec)
  return (await client.list<LogicalDatabase>(resourceTypes.logicalDatabase, { namespace: systemNamespace })).items
}
