/** When a database is backed up, and which of its backups are old: pure rules. */
import { backupEverySeconds, failedBackupSeconds } from '../../contract/limits.ts'
import { digest } from '../meta/digest.ts'
import { isVerified } from './rules.ts'
import type { BackupArchive } from './kind.ts'

const second = 1000
const day = 24 * 3600 * second
const spreadMax = 0x1_0000_0000

/**
 * The moment of the newest scheduled backup that has come: once a day, at a time of the day that follows from the uid,
 * so that the databases of an install are spread over it. Whole seconds.
 */
export const lastSlot = (uid: string, now: Date): Date => slotOf(uid, now, backupEverySeconds)

/** The newest moment of a database in a period of so many seconds, spread in the same way. */
export function slotOf(uid: string, now: Date, everySeconds: number): Date {
  const period = everySeconds * second
  const offset = Math.floor((Number.parseInt(digest(uid).slice(4, 12), 16) / spreadMax) * period)
  const slot = Math.floor((now.getTime() - offset) / period) * period + offset
  return new Date(Math.floor(slot / second) * second)
}

/** The moment that a backup is of; of one that is not whole, when it was asked for. */
export function momentOf({ metadata, status }: BackupArchive): number {
  return Date.parse(status?.firstRestorePoint ?? status?.lastRestorePoint ?? metadata.creationTimestamp ?? '')
}

/** The last moment that it can be restored to, which is later where WAL came after it. */
const lastMomentOf = ({ metadata, status }: BackupArchive): number =>
  Date.parse(status?.lastRestorePoint ?? metadata.creationTimestamp ?? '')

/** For how many days a database keeps its backups; `always` where it takes none by itself any more. */
export type Keeping = number | 'always' | 'gone'

/**
 * Which backups of one database go. While the database is there its newest whole one stays for ever, and an older one
 * goes only while a newer whole one is there. Once the database is gone, only the one that its deletion waited for goes
 * by itself, after its own days. One that failed goes once a newer one is whole, or after a week.
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

/** When a backup goes by itself once its database is gone; undefined for one that stays until it is deleted. */
export function keptUntil(backup: BackupArchive): Date | undefined {
  const { keepDays } = backup.spec
  return keepDays === undefined ? undefined : new Date(momentOf(backup) + keepDays * day)
}

/** Given up: one on its way is left alone. */
export function hasFailed({ status }: BackupArchive): boolean {
  return status?.conditions?.some(({ type, reason }) => type === 'Ready' && reason === 'ProvisionFailed') === true
}
