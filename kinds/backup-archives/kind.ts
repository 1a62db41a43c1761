/** SvcBackupArchive: one backup of a database or a bucket. It outlives its source and can be restored. */
import { z } from 'zod'
import { archiveEngines, backupTriggers } from '../../contract/fields/words.ts'
import {
  backupRetentionDays,
  bucketName,
  bucketsPerStore,
  databaseNameMax,
  dnsLabelMax,
  engineVersionMax,
  objectNameMax,
} from '../../contract/limits.ts'
import { pathMax } from '../meta/bounds.ts'
import type { KindDefinition } from '../schema/definition.ts'
import {
  environmentName,
  nameRef,
  projectName,
  provision,
  quantity,
  readyColumns,
  reconciledStatus,
  time,
} from '../schema/fields.ts'
import { resourceTypes } from '../meta/resource-types.ts'
import type { Resource } from '../meta/resource.ts'

export const backupArchiveSpec = z.object({
  project: projectName.meta({ description: 'ID of the project.' }),
  environment: environmentName.meta({ description: 'Environment of the project.' }),
  database: z.string().min(1).max(objectNameMax).meta({ description: 'Name of the database that was backed up.' }),
  databaseKind: z
    .enum(['Database', 'LogicalDatabase', 'ObjectStore'])
    .optional()
    .meta({ description: 'What `database` names: a database when left out, a logical database, or a bucket.' }),
  databaseUid: z.string().max(64).default('').meta({ description: 'uid of that database.' }),
  databaseName: z
    .string()
    .max(databaseNameMax)
    .default('')
    .meta({ description: 'Name of its first database, or of the one that a logical database is.' }),
  buckets: z
    .array(z.string().min(bucketName.min).max(bucketName.max))
    .max(bucketsPerStore)
    .optional()
    .meta({ description: 'Of a bucket: the names that it had in its environment.' }),
  engine: z.enum(archiveEngines).meta({ description: 'Engine of that database, or of its server; or `bucket`.' }),
  version: z.string().max(engineVersionMax).default('').meta({ description: 'Version of the engine.' }),
  storageSize: quantity.optional().meta({ description: 'Size of the volume a restored database gets.' }),
  trigger: z
    .enum(backupTriggers)
    .default('Manual')
    .meta({ description: 'Who asked for it: a person, its time, a deletion of the database, or a new version of it.' }),
  keepDays: z
    .int()
    .min(backupRetentionDays.min)
    .max(backupRetentionDays.max)
    .optional()
    .meta({ description: 'Days it is kept once its database is gone; until it is deleted when left out.' }),
  source: z
    .enum(['CloudConnection', 'ObjectStore'])
    .default('CloudConnection')
    .meta({ description: 'What connectionRef names: a cloud connection, or a bucket on this cluster.' }),
  connectionRef: nameRef.meta({ description: 'Cloud connection or SvcObjectStore that owns the bucket.' }),
  region: z.string().max(dnsLabelMax).default('').meta({ description: 'Region of the bucket.' }),
  bucket: z.string().min(bucketName.min).max(bucketName.max).meta({ description: 'Bucket the backup is in.' }),
  pointInTime: z
    .boolean()
    .optional()
    .meta({ description: 'Whether it is to have a copy of the server, and its WAL or binary log from then on.' }),
  path: z.string().max(pathMax).default('').meta({ description: 'Prefix of the backup inside the bucket.' }),
})

const count = z.int().min(0).optional()

/** The contents of a backup, counted in the store. */
const counts = z
  .object({
    tables: count.meta({ description: 'Tables of all its databases.' }),
    rows: count.meta({ description: 'Rows of these tables.' }),
    keys: count.meta({ description: 'Keys that do not expire.' }),
    pages: count.meta({ description: 'Pages of the file of a sqlite.' }),
    objects: count.meta({ description: 'Objects of a bucket.' }),
    bytes: count.meta({ description: 'Bytes of these objects.' }),
  })
  .optional()

export const backupArchiveStatus = z.object({
  ...reconciledStatus,
  provision,
  firstRestorePoint: time
    .optional()
    .meta({ description: 'Earliest moment that can be restored.', format: 'date-time' }),
  lastRestorePoint: time.optional().meta({ description: 'Latest moment that can be restored.', format: 'date-time' }),
  lastBackupAt: time.optional().meta({ description: 'When the backup ended.', format: 'date-time' }),
  checksum: z.string().optional().meta({ description: 'SHA-256 of its manifest, which has those of its files.' }),
  base: z
    .string()
    .optional()
    .meta({ description: 'SHA-256 of its copy of the server, which moments after the backup are restored from.' }),
  noLaterMoments: z
    .string()
    .optional()
    .meta({ description: 'Why no moment after its own can be restored, of a mysql that keeps backups.' }),
  size: z.int().optional().meta({ description: 'Bytes of its files, before they are encrypted.' }),
  counts: counts.meta({ description: 'What it holds, as it was counted in the store.' }),
  lastProvenAt: time
    .optional()
    .meta({ description: 'When it was last restored on trial, and found to be whole.', format: 'date-time' }),
  drill: z
    .object({
      asked: time.meta({ description: 'When it was asked for.' }),
      at: time.meta({ description: 'When it ended.' }),
      outcome: z.enum(['Proven', 'Failed']).meta({ description: 'Whether what came back is what was stored.' }),
      message: z.string().meta({ description: 'What was found, or why it failed.' }),
      replayedTo: time
        .optional()
        .meta({ description: 'Moment that its copy of the server was brought to by its log, where that was proven.' }),
    })
    .optional()
    .meta({ description: 'The newest restore drill that has ended.' }),
})

export type BackupArchiveSpec = z.output<typeof backupArchiveSpec>
export type BackupArchiveStatus = z.output<typeof backupArchiveStatus>
export type BackupArchive = Resource<BackupArchiveSpec, BackupArchiveStatus>

export const backupArchiveKind = {
  type: resourceTypes.backupArchive,
  singular: 'svcbackuparchive',
  shortNames: ['sba'],
  description: 'A backup of a database or a bucket that can be restored.',
  spec: backupArchiveSpec,
  status: backupArchiveStatus,
  statusSubresource: true,
  columns: [
    { name: 'Database', path: '.spec.database' },
    { name: 'Until', path: '.status.lastRestorePoint', type: 'date' },
    ...readyColumns,
  ],
  rules: [],
} satisfies KindDefinition
