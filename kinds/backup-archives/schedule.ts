/** When a database is backed up, and which of its backups are old: pure rules. */
import { backupEverySeconds, failedBackupSeconds } from '../../contract/limits.ts'
import { digest } from '../meta/digest.ts'
import { isVerified } from './rules.ts'
import type { BackupArchive } from './kind.ts'

const second = 1000
const day = 24 * 3600 * second
const spreadMax = 0x1_0000_0000

/**
 * The time of the newest scheduled backup that is due: once a day, at a time that depends on the uid, so that the
 * databases of an install are spread over the day. Whole seconds.
 */
export const lastSlot = (uid: string, now: Date): Date => slotOf(uid, now, backupEverySeconds)

/** The newest time of a database in a period of so many seconds, spread in the same way. */
export function slotOf(uid: string, now: Date, everySeconds: number): Date {
  const period = everySeconds * second
  const offset = Math.floor((Number.parseInt(digest(uid).slice(4, 12), 16) / spreadMax) * period)
  const slot = Math.floor((now.getTime() - offset) / period) * period + offset
  return new Date(Math.floor(slot / second) * second)
}

/** The moment of a backup; for an incomplete one, the time of its request. */
export function momentOf({ metadata, status }: BackupArchive): number {
  return Date.parse(status?.firstRestorePoint ?? status?.lastRestorePoint ?? metadata.creationTimestamp ?? '')
}

/** The last moment to which a backup can be restored; later than its own moment where WAL was stored after it. */
const lastMomentOf = ({ metadata, status }: BackupArchive): number =>
  Date.parse(status?.lastRestorePoint ?? metadata.creationTimestamp ?? '')

/** For how many days a database keeps its backups; `always` where scheduled backups are off. */
export type Keeping = number | 'always' | 'gone'

/**
 * The backups of one database that are to be deleted. While the database exists, its newest complete backup stays, and
 * an older one goes only while a newer complete one exists. Once the database is gone, only the backup before its
 * deletion goes, after its `keepDays`. A failed backup goes once a newer one is complete, or after a week.
 */
export function oldBackups(backups: readonly BackupArchive[], keeping: Keeping, now: Date): BackupArchive[] {
  const newest = Math.max(...backups.filter(isVerified).map(momentOf), 0)
  const age = (backup: BackupArchive) => now.getTime() - lastMomentOf(backup)
  return backups.filter((backup) => {
    if (backup.metadata.deletionTimestamp !== undefined) return false
    if (isVerified(backup)) {
      const until = keptUntil(backup)
      if (keeping === 'gone') return until !== undefined && now > until
      return keeping !== 'always' && momentOf(backup) < newest && age(backup) > keeping * day
    }
    return hasFailed(backup) && (momentOf(backup) < newest || age(backup) > failedBackupSeconds * second)
  })
}

/** When a backup is deleted once its database is gone; undefined for one that stays until a caller deletes it. */
export function keptUntil(backup: BackupArchive): Date | undefined {
  const { keepDays } = backup.spec
  return keepDays === undefined ? undefined : new Date(momentOf(backup) + keepDays * day)
}

/** Whether the backup failed for good; false for one that is still being taken. */
export function hasFailed({ status }: BackupArchive): boolean {
  return status?.conditions?.some(({ type, reason }) => type === 'Ready' && reason === 'ProvisionFailed') === true
}
