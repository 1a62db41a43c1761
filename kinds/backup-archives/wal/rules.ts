/**
 * From which backups later moments can be restored, and up to when: pure rules
 * (docs/reference/backups.md#point-in-time).
 */
import { walLateSeconds } from '../../../contract/limits.ts'
import type { BackupArchive, BackupArchiveSpec } from '../kind.ts'
import { logRemoved } from '../binlog/base-script.ts'
import { archiveState, isVerified } from '../rules.ts'
import { momentOf } from '../schedule.ts'

const second = 1000

/**
 * Whether WAL is stored after such a backup. The others are of one moment, after which the server is deleted or
 * upgraded.
 */
export const beginsWal = (trigger: BackupArchiveSpec['trigger']): boolean =>
  trigger === 'Manual' || trigger === 'Schedule'

/** `svc_backup_20261124101500_1a2b3c4d`: unique per backup, and sorted by the time of the request. */
export function walSlot({ metadata, spec }: BackupArchive): string {
  const asked = (metadata.creationTimestamp ?? '').replaceAll(/\D/g, '').slice(0, 14)
  return `svc_backup_${asked}_${spec.path.slice(-8)}`
}

/**
 * The slots of backups that are still being taken. Such a backup of a large server may have been requested before
 * another that is complete, and its WAL is stored only once it is complete, too.
 */
export const slotsUnderWay = (own: readonly BackupArchive[]): string[] =>
  own
    .filter((archive) => archive.spec.pointInTime === true && archiveState(archive).state === 'pending')
    .filter(({ status }) => status?.checksum === undefined)
    .map(walSlot)
    .toSorted()

/** The backups of one database whose WAL is or was stored, the newest first. */
export const withWal = (own: readonly BackupArchive[]): BackupArchive[] =>
  own
    .filter((archive) => isVerified(archive) && archive.status?.base !== undefined)
    .toSorted((one, other) => momentOf(other) - momentOf(one))

/** Whether a restore of that moment replays WAL; the moment of the backup itself is in its dumps. */
export function isRecovered({ status }: BackupArchive, point: string | undefined): boolean {
  if (status?.base === undefined || point === undefined) return false
  return Date.parse(point) > Date.parse(status.firstRestorePoint ?? '')
}

/** The form in which the shipper writes a moment. */
const momentForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/

/**
 * The new last moment of a backup once everything up to `upto` is stored; undefined where it is not later than the
 * known one. A window never shrinks, since stored WAL stays. The text comes from the bucket and may be anything: a
 * moment in the future, or no moment at all, is ignored.
 */
export function laterMoment({ status }: BackupArchive, upto: string, now: Date): string | undefined {
  const at = momentForm.test(upto) ? Date.parse(upto) : Number.NaN
  // The clocks of two machines may differ, by less than what counts as late.
  if (at > now.getTime() + walLateSeconds * second) return undefined
  return at > Date.parse(status?.lastRestorePoint ?? '') ? upto : undefined
}

/** Whether the WAL of the former backup is stored up to the start of the newest, or will never be. */
export function isTakenOver(former: BackupArchive, newest: BackupArchive, now: Date): boolean {
  const stored = Date.parse(former.status?.lastRestorePoint ?? '')
  return stored >= momentOf(newest) || now.getTime() - momentOf(newest) > walLateSeconds * second
}

const uncopied = 'the server could not be copied'
const complaints: readonly string[] = [uncopied, logRemoved]
const logOf = ({ engine }: BackupArchiveSpec): string => (engine === 'mysql' ? 'binary log' : 'WAL')

/**
 * Why moments after the newest backup of a database that keeps WAL or a binary log cannot be restored; '' when they
 * can. A mysql without a binary log has no trouble: only the record of its backup has the reason.
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
