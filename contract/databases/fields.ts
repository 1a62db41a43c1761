/** Fields of a database as callers write them, each with its refusal. */
import { clusterSize, highAvailabilityCopies, backupRetentionDays as retention } from '../limits.ts'
import {
  connectionRef,
  environmentName,
  flag,
  matchingOrEmpty,
  oneOf,
  region,
  resourceName,
  wholeNumber,
} from '../fields/fields.ts'
import { databaseName as databaseNamePattern, version as versionPattern } from '../fields/patterns.ts'
import { databaseEngines } from '../fields/words.ts'
import { quantityOf, runOnTags, size, workloadName } from '../fields/workload.ts'

const versionMax = 32
/** What the engines and their operators take as the name of a database. */
const databaseNameMax = 63

const copiesRefusal = `clusterSize must be ${clusterSize.min}, or a whole number from ${highAvailabilityCopies} to ${clusterSize.max}`

/** What may be changed later on (docs/reference/databases.md#settings). A text that is left blank stays as it is. */
export const settings = {
  version: matchingOrEmpty(versionPattern, 'version must be a version such as 16 or 8.4', versionMax).optional(),
  storageSize: quantityOf('storageSize', '10Gi').optional(),
  ...size,
  backups: flag('backups').optional(),
  backupRetentionDays: wholeNumber('backupRetentionDays', retention.min, retention.max).optional(),
  clusterSize: wholeNumber('clusterSize', clusterSize.min, clusterSize.max, copiesRefusal)
    .refine((copies) => copies === clusterSize.min || copies >= highAvailabilityCopies, { error: copiesRefusal })
    .optional(),
  runOnTags: runOnTags().optional(),
}

/** What is fixed with its creation; without project and environment it is the shared server of the cluster. */
export const origin = {
  project: resourceName('project').optional(),
  environment: environmentName().optional(),
  engine: oneOf('engine', databaseEngines).default('postgres'),
  name: workloadName().optional(),
  highAvailability: flag('highAvailability').optional(),
  placement: oneOf('placement', ['InCluster', 'External']).default('InCluster'),
  provider: oneOf('provider', ['AWS', 'PlanetScale']).optional(),
  connectionRef: connectionRef().optional(),
  databaseName: matchingOrEmpty(
    databaseNamePattern,
    'databaseName must use letters, digits, and underscores, and not start with a digit',
    databaseNameMax,
  ).optional(),
  region: region().optional(),
}
