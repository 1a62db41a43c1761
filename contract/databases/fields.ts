/** Fields of a database as callers write them, each with its refusal. */
import {
  caCertificateMax,
  clusterSize,
  highAvailabilityCopies,
  hostNameMax,
  passwordMax,
  backupRetentionDays as retention,
  serverUsernameMax,
  servicePort,
  databaseNameMax,
  engineVersionMax,
} from '../limits.ts'
import {
  anyText,
  connectionRef,
  environmentName,
  flag,
  withFieldOptions,
  matching,
  matchingOrEmpty,
  oneOf,
  region,
  resourceName,
  text,
  wholeNumber,
} from '../fields/fields.ts'
import { databaseName as databaseNamePattern, serverHost, version as versionPattern } from '../fields/patterns.ts'
import { databaseEngines, placements, sqlEngines, sslModes } from '../fields/words.ts'
import { quantityOf, runOnTags, size, workloadName } from '../fields/workload.ts'

const copiesRefusal = `clusterSize must be ${clusterSize.min}, or a whole number from ${highAvailabilityCopies} to ${clusterSize.max}`

/** What may be changed later on (docs/reference/databases.md#settings). A text that is left blank stays as it is. */
export const settings = {
  version: matchingOrEmpty(versionPattern, 'version must be a version such as 16 or 8.4', engineVersionMax).optional(),
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
  placement: oneOf('placement', placements).default('InCluster'),
  provider: oneOf('provider', ['AWS', 'PlanetScale']).optional(),
  connectionRef: connectionRef().optional(),
  databaseName: databaseName().optional(),
  region: region().optional(),
}

/** What connects to a server that exists; the rest of its login is in `login`. */
export const connected = {
  project: resourceName('project'),
  environment: environmentName(),
  name: workloadName().optional(),
  engine: oneOf('engine', sqlEngines).default('postgres'),
  databaseName: databaseName().optional(),
}

/** The login at a server elsewhere. The password is in no answer, record, history or log. */
export const login = {
  host: matching(serverHost, 'host must be a host name or an IPv4 address', hostNameMax),
  port: wholeNumber('port', servicePort.min, servicePort.max).optional(),
  username: text('username', { max: serverUsernameMax }),
  password: withFieldOptions(anyText('password', passwordMax).min(1, 'password is required'), { secret: true }),
  sslMode: oneOf('sslMode', sslModes).optional(),
  caCertificate: anyText('caCertificate', caCertificateMax)
    .refine((pem) => pem === '' || pem.includes('-----BEGIN CERTIFICATE-----'), {
      error: 'caCertificate must be a certificate in PEM form',
    })
    .optional(),
}

function databaseName() {
  return matchingOrEmpty(
    databaseNamePattern,
    'databaseName must use letters, digits, and underscores, and not start with a digit',
    databaseNameMax,
  )
}
