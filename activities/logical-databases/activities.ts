/** The activities of a logical database, bound to their clients and caches. */
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { logicalDatabaseRules } from '../../kinds/logical-databases/rules.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import {
  markReady,
  markFailed,
  removeFinalizer,
  readPlan,
  markAccepted,
  writeDraftStatus,
} from '../provision/activities.ts'
import type { ProvisionContext } from '../provision/context.ts'
import { inOrder, step } from '../provision/step.ts'
import { awaitPlace, awaitServer } from './await-server.ts'
import { keepConnection } from './keep-connection.ts'
import { keepLogin } from './keep-login.ts'
import { lastBackup } from './last-backup.ts'
import { dropDatabase, leavingNothing, removeLeftovers, stopCreation } from './remove.ts'
import { runCreation } from './run-creation.ts'

export const createLogicalDatabaseActivities = (needs: ActivityNeeds) => {
  const context: ProvisionContext<LogicalDatabase> = {
    client: needs.client,
    store: needs.logicalDatabases,
    type: resourceTypes.logicalDatabase,
    rules: logicalDatabaseRules,
    now: needs.now,
  }
  return {
    readLogicalDatabasePlan: readPlan(context),
    takeUpLogicalDatabase: markAccepted(context),
    awaitLogicalDatabasePlace: step(context, awaitPlace(needs)),
    awaitLogicalDatabaseServer: step(context, awaitServer(needs)),
    keepLogicalDatabaseLogin: step(context, leavingNothing(needs, keepLogin(needs))),
    runLogicalDatabaseCreation: step(context, leavingNothing(needs, runCreation(needs))),
    keepLogicalDatabaseConnection: step(context, leavingNothing(needs, keepConnection(needs))),
    finishLogicalDatabase: markReady<LogicalDatabase, 'logicalDatabase'>(context, ({ metadata }) => ({
      reason: 'LogicalDatabaseReady',
      message: 'Logical database connection is available',
      status: { connectionSecret: connectionSecretName(metadata.name) },
    })),
    giveUpLogicalDatabase: markFailed(context),
    tellLogicalDatabaseDraft: writeDraftStatus(context),
    stopLogicalDatabaseCreation: step(context, stopCreation(needs)),
    dropLogicalDatabase: step(context, inOrder(lastBackup(needs), dropDatabase(needs))),
    removeLogicalDatabaseLeftovers: step(context, removeLeftovers(needs)),
    letLogicalDatabaseGo: removeFinalizer(context),
  }
}
