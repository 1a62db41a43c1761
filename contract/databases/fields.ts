/** Fields of a database as callers write them, each with its refusal. */
import { clusterSize, highAvailabilityCopies, backupRetentionDays as retention, nodeTagNameMax } from '../limits.ts'
import { dnsLabel, environmentName, flag, matchingOrEmpty, oneOf, resourceName, wholeNumber } from '../fields.ts'
import { quantityOf, runOnTags, size, workloadName } from '../workload-fields.ts'

const engines = ['postgres', 'mysql', 'redis', 'sqlite'] as const
const versionMax = 32
/** What the engines and their operators take as the name of a database. */
const databaseNameMax = 63

const copiesRefusal = `clusterSize must be ${clusterSize.min}, or a whole number from ${highAvailabilityCopies} to ${clusterSize.max}`

/** What may be changed later on (spec, `PATCH /databases/{name}`). A text that is left blank stays as it is. */
export const settings = {
  version: matchingOrEmpty(/^[0-9][-.0-9a-z]*$/, 'version must be a version such as 16 or 8.4', versionMax).optional(),
  storageSize: quantityOf('storageSize', '10Gi').optional(),
  ...size,
  backups: flag('backups').optional(),
  backupRetentionDays: wholeNumber('backupRetentionDays', retention.min, retention.max).optional(),
  clusterSize: wholeNumber('clusterSize', clusterSize.min, clusterSize.max, copiesRefusal)
    .refine((copies) => copies === clusterSize.min || copies >= highAvailabilityCopies, { error: copiesRefusal })
    .optional(),
  runOnTags: runOnTags().optional(),
}

/** What is settled with its creation; without project and environment it is the shared server of the cluster. */
export const origin = {
  project: resourceName('project').optional(),
  environment: environmentName().optional(),
  engine: oneOf('engine', engines).default('postgres'),
  name: workloadName().optional(),
  highAvailability: flag('highAvailability').optional(),
  placement: oneOf('placement', ['InCluster', 'External']).default('InCluster'),
  provider: oneOf('provider', ['AWS', 'PlanetScale']).optional(),
  connectionRef: matchingOrEmpty(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'connectionRef must be the name of a connection', 253).optional(),
  databaseName: matchingOrEmpty(
    /^[a-zA-Z_][a-zA-Z0-9_]*$/,
    'databaseName must use letters, digits, and underscores, and not start with a digit',
    databaseNameMax,
  ).optional(),
  region: matchingOrEmpty(dnsLabel, `region must use lowercase letters, digits, and hyphens, up to ${nodeTagNameMax} characters`, nodeTagNameMax).optional(),
}
