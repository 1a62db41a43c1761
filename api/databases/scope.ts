/** Which database a call is about. */
import type { Database } from '../../kinds/databases/kind.ts'
import { notFound } from '../../records/edit-record.ts'
import type { Needs } from '../context/needs.ts'

export async function databaseOf({ records }: Needs, name: string): Promise<Database> {
  const database = await records.databases.read(name)
  if (database === undefined) throw notFound('database')
  return database
}
