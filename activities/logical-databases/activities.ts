/** The side effects of a logical database's story, bound to what they work with. */

import { connectionSecretName } from '../../kinds/connection-secret.ts'
import { logicalDatabaseRules } from '../../kinds/logical-databases/rules.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { resourceTypes } from '../../kinds/resource-types.ts'
import type { ActivityNeeds } from '../needs.ts'
import { finish, giveUp, letGo, readPlan, takeUp, tellDraft } from '../provision.ts'
import type { ProvisionRoom } from '../provision-room.ts'
import { step } from '../provision-step.ts'
import { awaitPlace, awaitServer } from './await-server.ts'
import { keepConnection } from './keep-connection.ts'
import { keepLogin } from './keep-login.ts'
import { dropDatabase, removeLeftovers, stopCreation } from './remove.ts'
import { runCreation } from './run-creation.ts'

export const createLogicalDatabaseActivities = (needs: ActivityNeeds) => {
  const room: ProvisionRoom<LogicalDatabase> = {
    client: needs.client,
    store: needs.logicalDatabases,
    type: resourceTypes.logicalDatabase,
    rules: logicalDatabaseRules,
    now: needs.now,
  }
  return {
    readLogicalDatabasePlan: readPlan(room),
    takeUpLogicalDatabase: takeUp(room),
    awaitLogicalDatabasePlace: step(room, awaitPlace(needs)),
    awaitLogicalDatabaseServer: step(room, awaitServer(needs)),
    keepLogicalDatabaseLogin: step(room, keepLogin(needs)),
    runLogicalDatabaseCreation: step(room, runCreation(needs)),
    keepLogicalDatabaseConnection: step(room, keepConnection(needs)),
    finishLogicalDatabase: finish(room, ({ metadata }) => ({
      reason: 'LogicalDatabaseReady',
      message: 'Logical database connection is available',
      status: { connectionSecret: connectionSecretName(metadata.name) },
    })),
    giveUpLogicalDatabase: giveUp(room),
    tellLogicalDatabaseDraft: tellDraft(room),
    stopLogicalDatabaseCreation: step(room, stopCreation(needs)),
    dropLogicalDatabase: step(room, dropDatabase(needs)),
    removeLogicalDatabaseLeftovers: step(room, removeLeftovers(needs)),
    letLogicalDatabaseGo: letGo(room),
  }
}
