/** The handler table: an operation without a handler does not compile. */
import type { OperationId } from '../../contract/operations.ts'
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
import { runHandlers } from '../runs/handlers.ts'
import { settingsHandlers } from '../settings/handlers.ts'
import { templateHandlers } from '../templates/handlers.ts'
import { tokenHandlers } from '../tokens/handlers.ts'
import { usageHandlers } from '../usage/handlers.ts'
import { userHandlers } from '../users/handlers.ts'

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
    ...runHandlers(needs),
    ...orphanHandlers(needs),
    ...templateHandlers(needs),
    ...databaseHandlers(needs),
    ...logicalDatabaseHandlers(needs),
    ...objectStoreHandlers(needs),
    ...settingsHandlers(needs),
    ...cloudConnectionHandlers(needs),
    'platform.events': events(feed),
  }) satisfies HandlerTable<OperationId>
