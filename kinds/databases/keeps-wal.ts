/** Which databases can be restored to any moment (docs/reference/backups.md#point-in-time). */

import { effectiveDatabaseSpec } from './draft.ts'
import { versionOf } from './image.ts'
import type { Database, DatabaseSpec } from './kind.ts'

/** What bounds the WAL that a slot holds back came with it. */
const firstVersion = 13

const isLogged = (spec: DatabaseSpec): boolean =>
  spec.engine === 'mysql' || (spec.engine === 'postgres' && Number.parseInt(versionOf(spec), 10) >= firstVersion)

/**
 * Whether its WAL, or the binary log of a mysql, is stored from its next backup on. The operator's servers have
 * archives of their own kind. Whether a mysql has such a log is found by its backup.
 */
export function keepsWal(database: Database): boolean {
  const spec = effectiveDatabaseSpec(database)
  return (
    spec !== undefined &&
    spec.backups.enabled &&
    isLogged(spec) &&
    database.status?.operated !== true &&
    database.metadata.deletionTimestamp === undefined
  )
}
