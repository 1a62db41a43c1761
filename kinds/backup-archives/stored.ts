/**
 * What a backup holds, beside its record: a record that is made anew on another cluster has no status, and its files
 * are where they were.
 */
import { annotations } from '../meta/annotations.ts'
import { parseAnnotation } from '../meta/parse-annotation.ts'
import { type BackupArchive, backupArchiveStatus } from './kind.ts'

const stored = backupArchiveStatus
  .pick({
    size: true,
    base: true,
    noLaterMoments: true,
    counts: true,
    firstRestorePoint: true,
    lastRestorePoint: true,
    lastBackupAt: true,
    lastProvenAt: true,
    drill: true,
  })
  .extend({ checksum: backupArchiveStatus.shape.checksum.unwrap() })

/** The backup with its status as an annotation too. */
export function withStored(archive: BackupArchive): BackupArchive {
  const said = stored.safeParse(archive.status).data
  if (said === undefined) return archive
  const notes = { ...archive.metadata.annotations, [annotations.stored]: JSON.stringify(said) }
  return { ...archive, metadata: { ...archive.metadata, annotations: notes } }
}

/** What was stored of it on another cluster; undefined for a backup of this one. */
export const storedElsewhere = ({ metadata }: BackupArchive) =>
  parseAnnotation(metadata, annotations.stored, stored).value
