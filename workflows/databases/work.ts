/** The steps of a database in their order, each named for the Temporal UI; later ones need objects of earlier ones. */
import type { DatabaseVariant } from '../../kinds/databases/draft.ts'
import type { Calls } from '../calls.ts'
import type { ProvisionWork, Step } from '../provision.ts'

export function databaseWork({ reads, activity }: Calls): ProvisionWork {
  /** The connection Secret is written last, so that services see the server only once it has its data. */
  const onCluster = (fill: Step[]) => [
    activity('Wait for the environment').awaitDatabasePlace,
    activity('Check what is asked for').checkDatabaseServer,
    activity('Make the passwords').makeDatabaseCredentials,
    activity('Apply the server').applyDatabaseServer,
    activity('Wait for the server').awaitDatabaseServer,
    ...fill,
    activity('Write the connection').tellDatabaseConnection,
  ]
  const steps: Record<DatabaseVariant, () => Step[]> = {
    cluster: () => onCluster([]),
    restored: () =>
      onCluster([
        activity('Restore the backup into it').restoreDatabaseData,
        activity('Remove the Job of the restore and its keys').clearDatabaseRestore,
      ]),
    connect: () => [
      activity('Wait for the environment').awaitDatabasePlace,
      activity('Connect to the server').connectExternalDatabase,
    ],
    PlanetScale: () => [
      activity('Wait for the environment').awaitDatabasePlace,
      activity('Make it at PlanetScale').makePlanetScaleDatabase,
      activity('Make and write the connection').tellPlanetScaleConnection,
    ],
    AWS: () => [activity('Refuse it').refuseAwsDatabase],
  }
  return {
    readPlan: reads.readDatabasePlan,
    markAccepted: activity('Accept it').takeUpDatabase,
    steps: (variant) => steps[variant as DatabaseVariant](), // databaseRules has no other variants
    markReady: activity('Write that it is ready').finishDatabase,
    markFailed: activity('Write that it failed').giveUpDatabase,
    writeDraftStatus: activity('Write that it waits for its deploy').tellDatabaseDraft,
    removals: (variant) => [
      activity('Wait until no record has data on it').awaitDatabaseTenants,
      ...(variant === 'PlanetScale' ? [activity('Remove it at PlanetScale').removePlanetScaleDatabase] : []),
      ...(variant === 'restored' ? [activity('Remove the Job of the restore').clearDatabaseRestore] : []),
      activity('Remove the server and its data').removeDatabaseServer,
    ],
    removeFinalizer: activity('Remove the finalizer').letDatabaseGo,
  }
}
