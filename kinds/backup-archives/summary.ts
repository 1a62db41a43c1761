/** A backup as callers see it. */
import { defined } from '../../contract/defined.ts'
import { withoutNames } from '../meta/without-names.ts'
import { archiveState, backedKind } from './rules.ts'
import { keptUntil } from './schedule.ts'
import type { BackupArchive } from './kind.ts'

/** `full` is false for callers who may not change it: its messages then name no Secret. */
export function archiveSummary(archive: BackupArchive, full: boolean) {
  const shown = (text: string) => (full ? text : withoutNames(text))
  const { message, ...state } = archiveState(archive)
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
    drill: ended,
  } = archive.status ?? {}
  const drill = ended && { ...ended, message: shown(ended.message) }
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
    ...state,
    message: shown(message),
    trigger,
    ...(checksum === undefined ? {} : whole),
  }
}
