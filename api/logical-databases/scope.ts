/** Which logical database a call is about. */
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { notFound } from '../../records/edit-record.ts'
import type { Needs } from '../context/needs.ts'

export async function logicalDatabaseOf({ records }: Needs, name: string): Promise<LogicalDatabase> {
  const database = await records.logicalDatabases.read(name)
  if (database === undefined) throw notFound('logical database')
  return database
}
