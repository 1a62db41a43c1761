/** Asks for a database to be deleted. */

import { refuse } from '../../contract/problem.ts'
import { refusals } from '../../contract/problem.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { systemNamespace } from '../../kinds/group.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { resourceTypes } from '../../kinds/resource-types.ts'
import { removeRecord } from '../edit-record.ts'
import type { DatabaseNeeds } from './needs.ts'

/**
 * Throws Problem not_found, and invalid_request when the name was not typed again exactly or while logical databases are on
 * it, naming them.
 */
export async function askDatabaseDeletion(
  { client, databases }: Pick<DatabaseNeeds, 'client' | 'databases'>,
  database: Database,
  confirmName: string,
): Promise<void> {
  const { name } = database.metadata
  if (confirmName !== name) throw refuse(refusals.confirmation)
  // Live: one that another process made this moment is not in memory yet.
  const { items } = await client.list<LogicalDatabase>(resourceTypes.logicalDatabase, { namespace: systemNamespace })
  const tenants = items.filter(({ spec }) => spec.serverRef === name).map(({ metadata }) => metadata.name)
  if (tenants.length > 0) throw refuse(`delete the logical databases on this server first: ${tenants.slice(0, 5).join(', ')}`)
  await removeRecord(databases, 'database', database, confirmName)
}
