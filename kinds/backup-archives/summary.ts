/** A backup as callers see it. */

import { archiveState } from './rules.ts'
import type { BackupArchive } from './kind.ts'

export function archiveSummary(archive: BackupArchive) {
  const { project, environment, database, engine, version, trigger } = archive.spec
  const { firstRestorePoint, lastRestorePoint, lastBackupAt, size, checksum } = archive.status ?? {}
  const whole = { firstRestorePoint, lastRestorePoint, lastBackupAt, size, checksum }
  return {
    name: archive.metadata.name,
    project,
    environment,
    database,
    engine,
    version,
    ...archiveState(archive),
    trigger,
    ...(checksum === undefined ? {} : whole),
  }
}
