/** A database for callers who cannot change things: whose it is and how it is, without engine, size or address. */
import { conditionsWithoutNames } from '../meta/without-names.ts'
import type { DatabaseSpec, DatabaseStatus } from './kind.ts'

export function redactedDatabase({ project, environment, placement, highAvailability, deploy }: DatabaseSpec) {
  return { project, environment, engine: '', placement, highAvailability, deploy }
}

/** Without host, port and the name of the connection secret. */
export function redactedDatabaseStatus({
  connectionSecret: _,
  host: __,
  port: ___,
  targetNamespace: ____,
  ...kept
}: DatabaseStatus = {}): DatabaseStatus {
  return conditionsWithoutNames(kept)
}
