/** A logical database as one item of a list (spec, Resource summary). */

import type { ResourceSummary } from '../../contract/resource-views.ts'
import { annotations } from '../annotations.ts'
import { logicalDatabaseState } from './in-force.ts'
import type { LogicalDatabase } from './kind.ts'

/** `full` is false for callers who cannot change things: they do not see what it is called on the server. */
export function logicalDatabaseSummary(database: LogicalDatabase, full: boolean): ResourceSummary {
  const { name, annotations: notes = {}, creationTimestamp = '' } = database.metadata
  const { project, environment, serverRef, databaseName } = database.spec
  return {
    kind: 'logical-database',
    name,
    displayName: notes[annotations.displayName] ?? name,
    project,
    environment,
    ...logicalDatabaseState(database),
    url: '',
    pendingChanges: 0,
    createdAt: creationTimestamp,
    details: { server: serverRef, database: full ? databaseName : '' },
  }
}
