/** The steps of a database's story, each named for the log book; a later one builds on what the earlier made. */

import type { createDatabaseActivities } from '../../activities/databases/activities.ts'
import type { ProvisionWork } from '../provision.ts'

type Side = ReturnType<typeof createDatabaseActivities>

export function databaseWork(reads: Pick<Side, 'readDatabasePlan'>, told: (summary: string) => Side): ProvisionWork {
  const onCluster = () => [
    told('Wait for the environment').awaitDatabasePlace,
    told('Check what is asked for').checkDatabaseServer,
    told('Make the passwords').makeDatabaseCredentials,
    told('Apply the server').applyDatabaseServer,
    told('Wait for the server').awaitDatabaseServer,
    told('Write the connection').tellDatabaseConnection,
  ]
  return {
    readPlan: reads.readDatabasePlan,
    takeUp: told('Take it up').takeUpDatabase,
    steps: onCluster,
    finish: told('Tell that it is ready').finishDatabase,
    giveUp: told('Give up').giveUpDatabase,
    tellDraft: told('Tell that it waits for its deploy').tellDatabaseDraft,
    removals: () => [told('Wait until nobody has data on it').awaitDatabaseTenants, told('Remove the server and its data').removeDatabaseServer],
    letGo: told('Let the record go').letDatabaseGo,
  }
}
