/** A logical database for callers who may not change it: without its name on the server, its login and its Secret. */
import { conditionsWithoutNames } from '../meta/without-names.ts'
import type { LogicalDatabaseSpec, LogicalDatabaseStatus } from './kind.ts'

export function redactedLogicalDatabase({ project, environment, serverRef }: LogicalDatabaseSpec) {
  return { project, environment, serverRef, databaseName: '' }
}

export function redactedLogicalDatabaseStatus({
  connectionSecret: _,
  jobName: __,
  database: ___,
  username: ____,
  lastBackup: _____,
  ...kept
}: LogicalDatabaseStatus = {}): LogicalDatabaseStatus {
  return conditionsWithoutNames(kept)
}
