/** The handler table: an operation of a room listed here that nobody serves does not compile. */
import type { OperationsOf } from '../../contract/operations.ts'
import { appHandlers } from '../apps/handlers.ts'
import { authHandlers } from '../auth/handlers.ts'
import { cloudConnectionHandlers } from '../cloud-connections/handlers.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { databaseHandlers } from '../databases/handlers.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import { events } from '../events/events.ts'
import { logicalDatabaseHandlers } from '../logical-databases/handlers.ts'
import { metricsHandlers } from '../metrics/handlers.ts'
import { nodeHandlers } from '../nodes/handlers.ts'
import { objectStoreHandlers } from '../object-stores/handlers.ts'
import { orphanHandlers } from '../orphans/handlers.ts'
import { platformHandlers } from '../platform/handlers.ts'
import { projectHandlers } from '../projects/handlers.ts'
import { settingsHandlers } from '../settings/handlers.ts'
import { templateHandlers } from '../templates/handlers.ts'
import { tokenHandlers } from '../tokens/handlers.ts'
import { usageHandlers } from '../usage/handlers.ts'
import { userHandlers } from '../users/handlers.ts'

/** Rooms that are complete; operations of other rooms are not routed. */
export type ServedOperation = OperationsOf<
  | 'platform'
  | 'auth'
  | 'tokens'
  | 'users'
  | 'projects'
  | 'apps'
  | 'nodes'
  | 'metrics'
  | 'usage'
  | 'orphans'
  | 'databases'
  | 'logical-databases'
  | 'object-stores'
  | 'settings'
  | 'cloud-connections'
  | 'templates'
>

export const createHandlers = (needs: Needs, feed: ChangeFeed) =>
  ({
    ...platformHandlers(needs),
    ...authHandlers(needs),
    ...tokenHandlers(needs),
    ...userHandlers(needs),
    ...projectHandlers(needs),
    ...appHandlers(needs),
    ...nodeHandlers(needs),
    ...metricsHandlers(needs),
    ...usageHandlers(needs),
    ...orphanHandlers(needs),
    ...templateHandlers(needs),
    ...databaseHandlers(needs),
    ...logicalDatabaseHandlers(needs),
    ...objectStoreHandlers(needs),
    ...settingsHandlers(needs),
    ...cloudConnectionHandlers(needs),
    'platform.events': events(feed),
  }) satisfies HandlerTable<ServedOperation>
