/** A backup as callers see it. */
import { defined } from '../../contract/defined.ts'
import { archiveState, backedKind } from './rules.ts'
import { keptUntil } from './schedule.ts'
import type { BackupArchive } from './kind.ts'

export function archiveSummary(archive: BackupArchive) {
  const { project, environment, database, engine, version, trigger } = archive.spec
  const kind = backedKind(archive.spec)
  const {
    firstRestorePoint,
    lastRestorePoint,
    lastBackupAt,
    size,
    checksum,
    noLaterMoments,
    counts,
    lastProvenAt,
    drill,
  } = archive.status ?? {}
  const whole = {
    firstRestorePoint,
    lastRestorePoint,
    lastBackupAt,
    size,
    checksum,
    ...defined({ keptUntil: keptUntil(archive)?.toISOString(), noLaterMoments, counts, lastProvenAt, drill }),
  }
  return {
    name: archive.metadata.name,
    project,
    environment,
    database,
    ...(kind === 'Database' ? {} : { databaseKind: kind }),
    engine,
    version,
    ...archiveState(archive),
    trigger,
    ...(checksum === undefined ? {} : whole),
  }
}
