/** A database as one item of a list. */
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { recordSummary } from '../provision/record-summary.ts'
import { databaseState } from './draft.ts'
import type { Database } from './kind.ts'

/** `full` is false for callers who may not change it: engine and version are empty for them. */
export function databaseSummary(database: Database, full: boolean): ResourceSummary {
  const { engine, highAvailability, placement, version } = database.spec
  return recordSummary(
    'database',
    database,
    databaseState(database),
    {
      engine: full ? engine : '',
      highAvailability,
      placement,
      version: full ? version : '',
    },
    full,
  )
}
