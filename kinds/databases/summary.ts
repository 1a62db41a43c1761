/** A database as one item of a list (spec, Resource summary). */

import type { ResourceSummary } from '../../contract/resource-views.ts'
import { annotations } from '../annotations.ts'
import { undeployedWords } from '../draft.ts'
import { databaseState } from './in-force.ts'
import type { Database } from './kind.ts'

/** `full` is false for callers who cannot change things: they see an empty engine. */
export function databaseSummary(database: Database, full: boolean): ResourceSummary {
  const { name, annotations: notes = {}, creationTimestamp = '' } = database.metadata
  const { project, environment, engine, highAvailability, placement, version } = database.spec
  return {
    kind: 'database',
    name,
    displayName: notes[annotations.displayName] ?? name,
    project,
    environment,
    ...databaseState(database),
    url: '',
    pendingChanges: undeployedWords(database).length,
    createdAt: creationTimestamp,
    details: { engine: full ? engine : '', highAvailability, placement, version: full ? version : '' },
  }
}
