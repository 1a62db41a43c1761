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
export function lastSlot(uid: string, now: Date): Date {
  const period = backupEverySeconds * second
  const offset = Math.floor((Number.parseInt(digest(uid).slice(4, 12), 16) / spreadMax) * period)
  const slot = Math.floor((now.getTime() - offset) / period) * period + offset
  return new Date(Math.floor(slot / second) * second)
}

/** The moment that a backup is of; of one that is not whole, when it was asked for. */
export function momentOf({ metadata, status }: BackupArchive): number {
  return Date.parse(status?.lastRestorePoint ?? metadata.creationTimestamp ?? '')
}

/**
 * Which backups of one database go. `retentionDays` is undefined where the database is gone: then none that is whole
 * goes by itself. The newest whole one stays for ever, and an older one goes only while a newer whole one is there.
 * One that failed goes once a newer one is whole, or after a week.
 */
export function oldBackups(
  backups: readonly BackupArchive[],
  retentionDays: number | undefined,
  now: Date,
): BackupArchive[] {
  const newest = Math.max(...backups.filter(isVerified).map(momentOf), 0)
  const age = (backup: BackupArchive) => now.getTime() - momentOf(backup)
  return backups.filter((backup) => {
    if (backup.metadata.deletionTimestamp !== undefined) return false
    if (isVerified(backup))
      return retentionDays !== undefined && momentOf(backup) < newest && age(backup) > retentionDays * day
    return hasFailed(backup) && (momentOf(backup) < newest || age(backup) > failedBackupSeconds * second)
  })
}

/** Given up: one on its way is left alone. */
export function hasFailed({ status }: BackupArchive): boolean {
  return status?.conditions?.some(({ type, reason }) => type === 'Ready' && reason === 'ProvisionFailed') === true
}
