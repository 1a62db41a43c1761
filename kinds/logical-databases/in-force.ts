/** The state of a logical database: it has no draft step, creation starts at once (spec, Logical database). */

import { provisionState, type ProvisionState } from '../provision-state.ts'
import type { LogicalDatabase } from './kind.ts'

export function logicalDatabaseState(database: LogicalDatabase): ProvisionState {
  return provisionState(database, database.spec)
}
