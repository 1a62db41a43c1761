/** Which databases can be restored to any moment (docs/reference/backups.md#point-in-time). */
import { walKept } from '../../contract/limits.ts'
import { bytes } from '../pods/quantity.ts'
import { effectiveDatabaseSpec } from './draft.ts'
import { engineVersionOf } from './image.ts'
import type { Database, DatabaseSpec } from './kind.ts'

/** Since this version postgres can limit the WAL that a slot holds back. */
const firstVersion = 13

const mebibyte = 2 ** 20

const isLogged = (spec: DatabaseSpec): boolean =>
  spec.engine === 'mysql' || (spec.engine === 'postgres' && Number.parseInt(engineVersionOf(spec), 10) >= firstVersion)

/** Whether the WAL of such a server, or the binary log of a mysql, has to be stored. */
export const asksForWal = (spec: DatabaseSpec): boolean => spec.backups.enabled && isLogged(spec)

/**
 * Whether the WAL of a database, or the binary log of a mysql, is stored from its next backup on. Its backup finds out
 * whether a mysql has such a log.
 */
export function keepsWal(database: Database): boolean {
  const spec = effectiveDatabaseSpec(database)
  return spec !== undefined && asksForWal(spec) && database.metadata.deletionTimestamp === undefined
}

/** How many MB of WAL the server may keep on a volume of that size. */
export const walKeep = (storageSize: string): number =>
  Math.max(walKept.leastMegabytes, Math.floor((bytes(storageSize) * walKept.percent) / 100 / mebibyte))
