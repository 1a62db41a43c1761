/**
 * The state of a logical database, and how it is reconciled: it has no draft, its creation starts at once
 * (docs/reference/logical-databases.md).
 */
import { finalizers } from '../meta/annotations.ts'
import type { ProvisionRules } from '../provision/plan.ts'
import { provisionState, type ProvisionState } from '../provision/state.ts'
import { isSharedServerName } from './shared-servers.ts'
import type { LogicalDatabase } from './kind.ts'

export function logicalDatabaseState(database: LogicalDatabase): ProvisionState {
  return provisionState(database, database.spec)
}

/**
 * The finalizer depends on the server: on a shared server the database is dropped before the record goes
 * (docs/reference/logical-databases.md#deleting-a-logical-database).
 */
export const logicalDatabaseRules: ProvisionRules<LogicalDatabase> = {
  effectiveSpec: ({ spec }) => spec,
  finalizer: ({ spec }) =>
    isSharedServerName(spec.serverRef) ? finalizers.logicalDatabase : finalizers.logicalConnection,
  variant: () => '',
  reportsDrafts: false,
}
