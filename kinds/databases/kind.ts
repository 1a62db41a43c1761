/** SvcDatabase: a database server of a project, or the cluster-wide shared one that has no project. */
import { z } from 'zod'
import {
  runOnTagsMax,
  servicePort,
  hostNameMax,
  backupRetentionDays,
  serverUsernameMax,
  clusterSize,
  databaseNameMax,
  engineVersionMax,
  nodeTagNameMax,
} from '../../contract/limits.ts'
import * as patterns from '../../contract/fields/patterns.ts'
import { databaseEngines } from '../../contract/fields/words.ts'
import type { KindDefinition } from '../schema/definition.ts'
import {
  deployEnabled,
  nameRef,
  objectName,
  ownerFields,
  ownerRule,
  placement,
  provision,
  quantity,
  readyColumns,
  reconciledStatus,
  rules,
  runOn,
  secretKeyRef,
  time,
} from '../schema/fields.ts'
import { resourceTypes } from '../meta/resource-types.ts'
import type { Resource } from '../meta/resource.ts'
import { notSystemSecret } from '../system-secrets.ts'

const amount = quantity.optional()

export const databaseSpec = z
  .object({
    ...ownerFields,
    engine: z.enum(databaseEngines).default('postgres').meta({ description: 'What kind of server it is.' }),
    placement,
    provider: z
      .enum(['', 'AWS', 'PlanetScale'])
      .default('')
      .meta({ description: 'Cloud an external server is in; empty is a server of your own.' }),
    mode: z
      .enum(['Create', 'Connect'])
      .default('Create')
      .meta({ description: 'Create makes an external server; Connect uses one that exists.' }),
    highAvailability: z
      .boolean()
      .default(false)
      .meta({ description: 'Three copies with automatic failover; postgres only.' }),
    connectionRef: nameRef.optional().meta({ description: 'Cloud connection an external server is made with.' }),
    databaseName: z
      .string()
      .max(databaseNameMax)
      .default('')
      .meta({ description: 'First database; derived from the name when left out.' }),
    externalHost: z.string().max(hostNameMax).optional().meta({ description: 'Host of an existing external server.' }),
    externalPort: z
      .int()
      .min(servicePort.min)
      .max(servicePort.max)
      .optional()
      .meta({ description: 'Port of an existing external server.' }),
    externalUsername: z
      .string()
      .max(serverUsernameMax)
      .optional()
      .meta({ description: 'Login at an existing external server.' }),
    externalPasswordRef: secretKeyRef
      .optional()
      .meta({ description: 'Where the password of that login is kept.', ...rules(notSystemSecret) }),
    version: z
      .string()
      .max(engineVersionMax)
      .regex(patterns.orEmpty(patterns.version))
      .default('')
      .meta({ description: 'Version of the engine; postgres 16 and the like when left out.' }),
    instances: z
      .int()
      .min(clusterSize.min)
      .max(clusterSize.max)
      .default(clusterSize.min)
      .meta({ description: 'Copies of the server.' }),
    storageSize: amount.meta({ description: 'Size of the volume; 10Gi when left out, 1Gi for sqlite.' }),
    resources: z
      .object({
        requests: z
          .object({
            cpu: amount.meta({ description: 'CPU in cores.' }),
            memory: amount.meta({ description: 'Memory in bytes.' }),
          })
          .optional()
          .meta({ description: 'What is reserved, and at most used.' }),
      })
      .prefault({})
      .meta({ description: 'CPU and memory of one copy; 250m and 512Mi when left out, 100m and 128Mi for sqlite.' }),
    backups: z
      .object({
        enabled: z.boolean().default(false).meta({ description: 'Write backups to the storage of the project.' }),
        retentionDays: z
          .int()
          .min(backupRetentionDays.min)
          .max(backupRetentionDays.max)
          .default(backupRetentionDays.default)
          .meta({ description: 'Days a backup is kept.' }),
      })
      .prefault({})
      .meta({ description: 'Backups; applied at once.' }),
    restoreFrom: z
      .object({
        archive: objectName.meta({ description: 'Name of the SvcBackupArchive it begins with.' }),
        point: time.optional().meta({ description: 'Moment to restore; the latest when left out.' }),
      })
      .optional()
      .meta({ description: 'A new server begins with this backup.' }),
    runOn: runOn(runOnTagsMax),
    serverRegion: z.string().max(nodeTagNameMax).optional().meta({ description: 'Region of the shared server.' }),
    deploy: z.object({ enabled: deployEnabled }).prefault({}).meta({ description: 'Whether it is deployed.' }),
  })
  .meta(
    rules(
      ownerRule,
      {
        rule: "!self.highAvailability || self.engine == 'postgres'",
        message: 'high availability needs the engine postgres',
      },
      {
        rule: '!oldSelf.deploy.enabled || (self.placement == oldSelf.placement && self.provider == oldSelf.provider && self.mode == oldSelf.mode)',
        message: 'a deployed database stays where it is',
      },
      {
        rule: '!oldSelf.deploy.enabled || (self.project == oldSelf.project && self.environment == oldSelf.environment)',
        message: 'a deployed database cannot move to another project or environment',
      },
      {
        rule: '!oldSelf.deploy.enabled || self.databaseName == oldSelf.databaseName',
        message: 'the first database of a deployed server keeps its name',
      },
      {
        rule: 'self.engine == oldSelf.engine || !oldSelf.deploy.enabled',
        message: 'the engine of a deployed database cannot change',
      },
      {
        rule: '!oldSelf.deploy.enabled || (has(self.restoreFrom) == has(oldSelf.restoreFrom) && (!has(self.restoreFrom) || self.restoreFrom == oldSelf.restoreFrom))',
        message: 'what a deployed database was restored from cannot change',
      },
    ),
  )

export const databaseStatus = z.object({
  ...reconciledStatus,
  provision,
  targetNamespace: z.string().optional().meta({ description: 'Namespace it runs in.' }),
  connectionSecret: z
    .string()
    .optional()
    .meta({ description: 'Secret with host, port, database, username, password and uri.' }),
  operated: z.boolean().optional().meta({ description: 'Whether the operator of postgres runs it.' }),
  restored: z
    .object({
      archive: z.string().meta({ description: 'Name of the backup.' }),
      point: time.meta({ description: 'Moment whose data it has.' }),
    })
    .optional()
    .meta({ description: 'The backup that was restored into it.' }),
  lastBackup: z.string().optional().meta({ description: 'The backup that its deletion waited for.' }),
  host: z.string().optional().meta({ description: 'Host it answers at.' }),
  port: z.int().optional().meta({ description: 'Port it answers at.' }),
})

export type DatabaseSpec = z.output<typeof databaseSpec>
export type DatabaseStatus = z.output<typeof databaseStatus>
export type Database = Resource<DatabaseSpec, DatabaseStatus>

export const databaseKind = {
  type: resourceTypes.database,
  singular: 'svcdatabase',
  shortNames: ['sdb'],
  description: 'A database server: postgres, mysql, redis or sqlite.',
  spec: databaseSpec,
  status: databaseStatus,
  statusSubresource: true,
  columns: [{ name: 'Engine', path: '.spec.engine' }, ...readyColumns],
  rules: [],
} satisfies KindDefinition
