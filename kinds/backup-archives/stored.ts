/**
 * The status of a backup, kept in an annotation: on another cluster its record is made anew without a status, while its
 * files are where they were.
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

/** The status on the earlier cluster; undefined for a backup that this cluster took. */
export const storedElsewhere = ({ metadata }: BackupArchive) =>
  parseAnnotation(metadata, annotations.stored, stored).value
