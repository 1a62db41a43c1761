/** Which databases can be restored to any moment (docs/reference/backups.md#point-in-time). */

import { effectiveDatabaseSpec } from './draft.ts'
import { versionOf } from './image.ts'
import type { Database } from './kind.ts'

/** What bounds the WAL that a slot holds back came with it. */
const firstVersion = 13

/** Whether its WAL is stored, from its next backup on. The operator's servers have archives of their own kind. */
export function keepsWal(database: Database): boolean {
  const spec = effectiveDatabaseSpec(database)
  return (
    spec?.engine === 'postgres' &&
    spec.backups.enabled &&
    Number.parseInt(versionOf(spec), 10) >= firstVersion &&
    database.status?.operated !== true &&
    database.metadata.deletionTimestamp === undefined
  )
}
