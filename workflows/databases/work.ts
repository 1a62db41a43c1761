/** The steps of a database's story, each named for the log book; a later one builds on what the earlier made. */

import type { createDatabaseActivities } from '../../activities/databases/activities.ts'
import type { DatabaseVariant } from '../../kinds/databases/draft.ts'
import type { ProvisionWork, Step } from '../provision.ts'

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
  const steps: Record<DatabaseVariant, () => Step[]> = {
    cluster: onCluster,
    connect: () => [told('Wait for the environment').awaitDatabasePlace, told('Connect to the server').connectExternalDatabase],
    PlanetScale: () => [
      told('Wait for the environment').awaitDatabasePlace,
      told('Make it at PlanetScale').makePlanetScaleDatabase,
      told('Make and write the connection').tellPlanetScaleConnection,
    ],
    AWS: () => [told('Refuse it').refuseAwsDatabase],
  }
  return {
    readPlan: reads.readDatabasePlan,
    takeUp: told('Take it up').takeUpDatabase,
    steps: (variant) => steps[variant as DatabaseVariant](), // databaseRules says no other
    finish: told('Tell that it is ready').finishDatabase,
    giveUp: told('Give up').giveUpDatabase,
    tellDraft: told('Tell that it waits for its deploy').tellDatabaseDraft,
    removals: (variant) => [
      told('Wait until nobody has data on it').awaitDatabaseTenants,
      ...(variant === 'PlanetScale' ? [told('Remove it at PlanetScale').removePlanetScaleDatabase] : []),
      told('Remove the server and its data').removeDatabaseServer,
    ],
    letGo: told('Let the record go').letDatabaseGo,
  }
}
