/** A database for callers who may not change it: project, environment and state, without engine, size or address. */
import { conditionsWithoutNames } from '../meta/without-names.ts'
import type { DatabaseSpec, DatabaseStatus } from './kind.ts'

export function redactedDatabase({ project, environment, placement, highAvailability, deploy }: DatabaseSpec) {
  return { project, environment, engine: '', placement, highAvailability, deploy }
}

/** The status without host, port and the name of the connection Secret. */
export function redactedDatabaseStatus({
  connectionSecret: _,
  host: __,
  port: ___,
  targetNamespace: ____,
  ...kept
}: DatabaseStatus = {}): DatabaseStatus {
  return conditionsWithoutNames(kept)
}
