/** A logical database as one item of a list. */
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { recordSummary } from '../provision/record-summary.ts'
import { logicalDatabaseState } from './rules.ts'
import type { LogicalDatabase } from './kind.ts'

/** `full` is false for callers who may not change it: they do not see its name on the server. */
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
