/** The activities of a database, bound to their clients and caches. */
import { databaseRules } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { takeKeysBack } from '../backups/job.ts'
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
import { inOrder, permanent, step } from '../provision/step.ts'
import { applyServer, awaitServer } from './apply-server.ts'
import { backUpBeforeUpgrade, lastBackup } from './backup-first.ts'
import { awaitPlace, checkServer } from './check.ts'
import { connectExternal } from './connect-external.ts'
import { makeCredentials } from './credentials.ts'
import { makeAtPlanetScale, removeAtPlanetScale, writePlanetScaleConnection } from './planetscale.ts'
import { clearRestore, recoverData, restoreData, restorePlace, whileRestoring } from './restore.ts'
import { awaitTenants, leavingNothing, removeServer } from './remove-server.ts'
import { endWal } from './end-wal.ts'
import { writeConnection } from './write-connection.ts'

export const createDatabaseActivities = (needs: ActivityNeeds) => {
  const context: ProvisionContext<Database> = {
    client: needs.client,
    store: needs.databases,
    type: resourceTypes.database,
    rules: databaseRules,
    now: needs.now,
  }
  return {
    readDatabasePlan: readPlan(context),
    takeUpDatabase: markAccepted(context),
    awaitDatabasePlace: step(context, awaitPlace(needs)),
    checkDatabaseServer: step(context, checkServer(needs)),
    makeDatabaseCredentials: step(context, leavingNothing(needs, makeCredentials(needs))),
    applyDatabaseServer: step(
      context,
      leavingNothing(needs, inOrder(backUpBeforeUpgrade(needs), recoverData(needs), applyServer(needs), endWal(needs))),
    ),
    awaitDatabaseServer: step(context, whileRestoring(needs, awaitServer(needs))),
    restoreDatabaseData: step(context, restoreData(needs)),
    clearDatabaseRestore: step(context, clearRestore(needs)),
    tellDatabaseConnection: step(context, writeConnection(needs)),
    connectExternalDatabase: step(context, connectExternal(needs)),
    makePlanetScaleDatabase: step(context, makeAtPlanetScale(needs)),
    tellPlanetScaleConnection: step(context, writePlanetScaleConnection(needs)),
    refuseAwsDatabase: step(context, async () =>
      permanent('databases at AWS cannot be made from here; make one there and use mode Connect'),
    ),
    removePlanetScaleDatabase: step(context, removeAtPlanetScale(needs)),
    // The step before has written the connection into the status.
    finishDatabase: markReady<Database, 'database'>(context, () => ({
      reason: 'DatabaseReady',
      message: 'Database connection is available',
      status: {},
    })),
    giveUpDatabase: markDatabaseFailed(needs, context),
    tellDatabaseDraft: writeDraftStatus(context),
    awaitDatabaseTenants: step(context, awaitTenants(needs)),
    removeDatabaseServer: step(context, inOrder(lastBackup(needs), removeServer(needs))),
    letDatabaseGo: removeFinalizer(context),
  }
}

/** Marks a database failed. The keys of its restore Job are removed first, since no pass follows a failure. */
function markDatabaseFailed(
  needs: ActivityNeeds,
  context: ProvisionContext<Database>,
): ReturnType<typeof markFailed<Database>> {
  const mark = markFailed(context)
  return async (input) => {
    const given = await needs.databases.readLive(input.name)
    if (given?.metadata.uid === input.uid) await takeKeysBack(needs, restorePlace(given))
    return mark(input)
  }
}
