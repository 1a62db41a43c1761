/** A logical database as one item of a list. */
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { recordSummary } from '../provision/record-summary.ts'
import { logicalDatabaseState } from './rules.ts'
import type { LogicalDatabase } from './kind.ts'

/** `full` is false for callers who cannot change things: they do not see what it is called on the server. */
export function logicalDatabaseSummary(database: LogicalDatabase, full: boolean): ResourceSummary {
  const { serverRef, databaseName } = database.spec
  return recordSummary(
    'logical-database',
    database,
    logicalDatabaseState(database),
    { server: serverRef, database: full ? databaseName : '' },
    full,
  )
}
