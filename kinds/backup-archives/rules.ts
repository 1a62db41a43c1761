/** How a backup is reconciled: it has no draft, and its finalizer holds it until its files are gone. */
import { finalizers } from '../meta/annotations.ts'
import { askedByIn, type ProvisionRules } from '../provision/plan.ts'
import { provisionState, type ProvisionState } from '../provision/state.ts'
import type { BackupArchive, BackupArchiveSpec } from './kind.ts'

export const archiveRules: ProvisionRules<BackupArchive> = {
  effectiveSpec: ({ spec }) => spec,
  finalizer: () => finalizers.backupArchive,
  variant: () => '',
  askedBy: (archive) => askedByIn(archive) ?? (archive.spec.trigger === 'Manual' ? undefined : ''),
  reportsDrafts: false,
}

export const archiveState = (archive: BackupArchive): ProvisionState => provisionState(archive, archive.spec)

/**
 * Whether a backup is complete: its files were read back and are equal to what was sent. Only complete backups are
 * listed and restored, and only with a newer complete one may an older one be deleted.
 */
export function isVerified({ metadata, status }: BackupArchive): boolean {
  return metadata.deletionTimestamp === undefined && status?.checksum !== undefined
}

export type BackedKind = NonNullable<BackupArchiveSpec['databaseKind']>

/** What a backup is of: a database with all of its server, one logical database alone, or a bucket. */
export const backedKind = ({ databaseKind }: Pick<BackupArchiveSpec, 'databaseKind'>): BackedKind =>
  databaseKind ?? 'Database'

export const backedNouns: Record<BackedKind, string> = {
  Database: 'database',
  LogicalDatabase: 'logical database',
  ObjectStore: 'bucket',
}

/** `database orders`, `logical database orders`, `bucket media`. */
export const backedName = (spec: Pick<BackupArchiveSpec, 'databaseKind' | 'database'>): string =>
  `${backedNouns[backedKind(spec)]} ${spec.database}`
