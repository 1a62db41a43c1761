/** The side effects of a database's story, bound to what they work with. */

import { databaseRules } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { resourceTypes } from '../../kinds/resource-types.ts'
import type { ActivityNeeds } from '../needs.ts'
import { finish, giveUp, letGo, readPlan, takeUp, tellDraft } from '../provision.ts'
import type { ProvisionRoom } from '../provision-room.ts'
import { permanent, step } from '../provision-step.ts'
import { applyServer, awaitServer } from './apply-server.ts'
import { awaitPlace, checkServer } from './check.ts'
import { connectExternal } from './connect-external.ts'
import { makeCredentials } from './credentials.ts'
import { makeAtPlanetScale, removeAtPlanetScale, tellPlanetScale } from './planetscale.ts'
import { awaitTenants, removeServer } from './remove-server.ts'
import { tellConnection } from './tell-connection.ts'

export const createDatabaseActivities = (needs: ActivityNeeds) => {
  const room: ProvisionRoom<Database> = {
    client: needs.client,
    store: needs.databases,
    type: resourceTypes.database,
    rules: databaseRules,
    now: needs.now,
  }
  return {
    readDatabasePlan: readPlan(room),
    takeUpDatabase: takeUp(room),
    awaitDatabasePlace: step(room, awaitPlace(needs)),
    checkDatabaseServer: step(room, checkServer(needs)),
    makeDatabaseCredentials: step(room, makeCredentials(needs)),
    applyDatabaseServer: step(room, applyServer(needs)),
    awaitDatabaseServer: step(room, awaitServer(needs)),
    tellDatabaseConnection: step(room, tellConnection(needs)),
    connectExternalDatabase: step(room, connectExternal(needs)),
    makePlanetScaleDatabase: step(room, makeAtPlanetScale(needs)),
    tellPlanetScaleConnection: step(room, tellPlanetScale(needs)),
    refuseAwsDatabase: step(room, async () => permanent('databases at AWS cannot be made from here; make one there and use mode Connect')),
    removePlanetScaleDatabase: step(room, removeAtPlanetScale(needs)),
    // The record was told where its connection is by the step before.
    finishDatabase: finish(room, () => ({ reason: 'DatabaseReady', message: 'Database connection is available', status: {} })),
    giveUpDatabase: giveUp(room),
    tellDatabaseDraft: tellDraft(room),
    awaitDatabaseTenants: step(room, awaitTenants(needs)),
    removeDatabaseServer: step(room, removeServer(needs)),
    letDatabaseGo: letGo(room),
  }
}
