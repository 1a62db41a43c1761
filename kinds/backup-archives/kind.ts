/** SvcBackupArchive: the backups of one database, which outlive it and can be restored from. */
import { z } from 'zod'
import { objectNameMax, pathMax } from '../meta/bounds.ts'
import type { KindDefinition } from '../schema/definition.ts'
import { environmentName, nameRef, projectName, quantity, reconciledStatus, time } from '../schema/fields.ts'
import { resourceTypes } from '../meta/resource-types.ts'
import type { Resource } from '../meta/resource.ts'

export const backupArchiveSpec = z.object({
  project: projectName.meta({ description: 'ID of the project.' }),
  environment: environmentName.meta({ description: 'Environment of the project.' }),
  database: z.string().min(1).max(objectNameMax).meta({ description: 'Name of the database that was backed up.' }),
  engine: z.enum(['postgres', 'mysql', 'redis', 'sqlite']).meta({ description: 'Engine of that database.' }),
  version: z.string().max(32).default('').meta({ description: 'Version of the engine.' }),
  storageSize: quantity.optional().meta({ description: 'Size of the volume a restored database gets.' }),
  connectionRef: nameRef.meta({ description: 'Cloud connection that owns the bucket.' }),
  bucket: z.string().min(3).max(63).meta({ description: 'Bucket the backups are in.' }),
  path: z.string().max(pathMax).default('').meta({ description: 'Prefix of the backups inside the bucket.' }),
})

export const backupArchiveStatus = z.object({
  ...reconciledStatus,
  firstRestorePoint: time
    .optional()
    .meta({ description: 'Earliest moment that can be restored.', format: 'date-time' }),
  lastRestorePoint: time.optional().meta({ description: 'Latest moment that can be restored.', format: 'date-time' }),
  lastBackupAt: time.optional().meta({ description: 'When the newest backup ended.', format: 'date-time' }),
})

export type BackupArchiveSpec = z.output<typeof backupArchiveSpec>
export type BackupArchiveStatus = z.output<typeof backupArchiveStatus>
export type BackupArchive = Resource<BackupArchiveSpec, BackupArchiveStatus>

export const backupArchiveKind = {
  type: resourceTypes.backupArchive,
  singular: 'svcbackuparchive',
  shortNames: ['sba'],
  description: 'Backups of a database that can be restored.',
  spec: backupArchiveSpec,
  status: backupArchiveStatus,
  statusSubresource: true,
  columns: [
    { name: 'Database', path: '.spec.database' },
    { name: 'Until', path: '.status.lastRestorePoint', type: 'date' },
    { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
  ],
  rules: [],
} satisfies KindDefinition
