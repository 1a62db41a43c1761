/**
 * The backup that a deletion waits for (docs/reference/backups.md#before-a-deletion). Its name follows from the deleted
 * record, so a repeated pass finds the backup that an earlier pass created.
 */
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { lastArchiveName } from '../../kinds/backup-archives/names.ts'
import { archiveState, backedNouns, isVerified } from '../../kinds/backup-archives/rules.ts'
import { hasFailed } from '../../kinds/backup-archives/schedule.ts'
import { isNotedWithoutBackup } from '../../kinds/databases/last-backup.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import type { BackedRecord } from './backed.ts'
import { type Unmet, waiting } from '../provision/step.ts'

export interface LastBackup {
  /** Creates the record of the backup; undefined if none can be taken, or there is no data. */
  ask: (name: string, project: Project) => Promise<BackupArchive | undefined>
  /** Writes the backup's name into the status of the deleted record, which waits for no other backup then. */
  note: (name: string) => Promise<unknown>
}

/** Waits for the last backup of a deleted record; not if its project is being deleted, since its backups go, too. */
export async function awaitLastBackup(
  needs: ActivityNeeds,
  record: BackedRecord,
  { ask, note }: LastBackup,
): Promise<Unmet | undefined> {
  const { metadata, spec } = record
  const name = lastArchiveName(metadata.name, metadata.uid ?? '')
  const archive = await needs.backupArchives.readLive(name)
  const project = await needs.projects.readLive(spec.project)
  if (project === undefined || project.metadata.deletionTimestamp !== undefined || isNotedWithoutBackup(record)) {
    if (archive !== undefined && !isVerified(archive))
      await needs.backupArchives.remove(archive.metadata.name, archive.metadata.uid ?? '', {
        actor: '',
        at: needs.now().toISOString(),
      })
    return undefined
  }
  if (archive === undefined) {
    const asked = await ask(name, project)
    return asked === undefined ? undefined : waitingFor(asked)
  }
  if (hasFailed(archive) && !isVerified(archive))
    return waiting(
      `the last backup failed: ${archiveState(archive).message}; delete the ${nounOf(record)} again to try it again, or with backupFirst off to go without it`,
    )
  if (!isVerified(archive)) return waitingFor(archive)
  await note(name)
  return undefined
}

export function waitingFor(archive: BackupArchive): Unmet {
  const { message } = archiveState(archive)
  const { name } = archive.metadata
  return message === '' ? waiting(`waiting for backup ${name}`) : waiting(`waiting for backup ${name}: ${message}`)
}

function nounOf({ spec }: BackedRecord): string {
  if ('buckets' in spec) return backedNouns.ObjectStore
  return 'serverRef' in spec ? backedNouns.LogicalDatabase : backedNouns.Database
}
