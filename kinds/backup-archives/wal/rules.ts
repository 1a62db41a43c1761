/**
 * Which backups moments after them can be restored from, and up to when: pure rules
 * (docs/reference/backups.md#point-in-time).
 */
import { walLateSeconds } from '../../../contract/limits.ts'
import type { BackupArchive, BackupArchiveSpec } from '../kind.ts'
import { logRemoved } from '../binlog/base-script.ts'
import { archiveState, isVerified } from '../rules.ts'
import { momentOf } from '../schedule.ts'

const second = 1000

/** Backups after which WAL is stored; the others are of one moment, after which the server goes or changes. */
export const beginsWal = (trigger: BackupArchiveSpec['trigger']): boolean =>
  trigger === 'Manual' || trigger === 'Schedule'

/** `svc_backup_20261124101500_1a2b3c4d`: in the order in which the backups were asked for, and of each its own. */
export function walSlot({ metadata, spec }: BackupArchive): string {
  const asked = (metadata.creationTimestamp ?? '').replaceAll(/\D/g, '').slice(0, 14)
  return `svc_backup_${asked}_${spec.path.slice(-8)}`
}

/**
 * The slots of backups that are still being taken: one of a large server may have been asked for before another that is
 * whole by now, and its WAL is stored only once it is whole, too.
 */
export const slotsUnderWay = (own: readonly BackupArchive[]): string[] =>
  own
    .filter((archive) => archive.spec.pointInTime === true && archiveState(archive).state === 'pending')
    .filter(({ status }) => status?.checksum === undefined)
    .map(walSlot)
    .toSorted()

/** Backups of one database whose WAL is or was stored, the newest first. */
export const withWal = (own: readonly BackupArchive[]): BackupArchive[] =>
  own
    .filter((archive) => isVerified(archive) && archive.status?.base !== undefined)
    .toSorted((one, other) => momentOf(other) - momentOf(one))

/** Whether a restore of that moment replays WAL; the moment of the backup itself is in its dumps. */
export function isRecovered({ status }: BackupArchive, point: string | undefined): boolean {
  if (status?.base === undefined || point === undefined) return false
  return Date.parse(point) > Date.parse(status.firstRestorePoint ?? '')
}

/** As the shipper writes it. */
const momentForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/

/**
 * The last moment of a backup, once everything up to `upto` is stored; undefined where that is nothing new. A window
 * never shrinks: what was stored once is there. So what cannot be, a moment to come or no moment at all, is not
 * believed: the bucket may say anything.
 */
export function laterMoment({ status }: BackupArchive, upto: string, now: Date): string | undefined {
  const at = momentForm.test(upto) ? Date.parse(upto) : Number.NaN
  // Two clocks may differ by less than what counts as late.
  if (at > now.getTime() + walLateSeconds * second) return undefined
  return at > Date.parse(status?.lastRestorePoint ?? '') ? upto : undefined
}

/** Whether the WAL of the one before is stored up to where the next one begins, or will not be any more. */
export function isTakenOver(former: BackupArchive, newest: BackupArchive, now: Date): boolean {
  const stored = Date.parse(former.status?.lastRestorePoint ?? '')
  return stored >= momentOf(newest) || now.getTime() - momentOf(newest) > walLateSeconds * second
}

const uncopied = 'the server could not be copied'
const complaints: readonly string[] = [uncopied, logRemoved]
const logOf = ({ engine }: BackupArchiveSpec): string => (engine === 'mysql' ? 'binary log' : 'WAL')

/**
 * What is wrong with the moments after the newest backup of a database that keeps its WAL or its binary log; '' when
 * nothing is. A mysql that has no such log is as it is meant to be: only its record says so.
 */
export function walTrouble(newest: BackupArchive | undefined, now: Date): string {
  if (newest?.spec.pointInTime !== true || !isVerified(newest)) return ''
  const { base, lastRestorePoint = '', noLaterMoments = uncopied } = newest.status ?? {}
  if (base === undefined)
    return complaints.includes(noLaterMoments)
      ? `moments after its newest backup cannot be restored: ${noLaterMoments}`
      : ''
  const isLate = now.getTime() - Date.parse(lastRestorePoint) > walLateSeconds * second
  return isLate ? `moments after ${lastRestorePoint} cannot be restored: its ${logOf(newest.spec)} is not stored` : ''
}
