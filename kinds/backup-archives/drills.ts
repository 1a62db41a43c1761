/**
 * Restore drills: when the newest backup of a database is restored on trial, the result, and the message of a database
 * whose backups are bad (docs/reference/backups.md#drills). Pure rules over the backups of one database.
 */
import { drillAgainSeconds, drillEverySeconds, drillLateSeconds } from '../../contract/limits.ts'
import { annotations } from '../meta/annotations.ts'
import { canonical } from '../meta/digest.ts'
import { time } from '../schema/fields.ts'
import { type Counts, countsText } from './counting.ts'
import type { Replayed } from './jobs.ts'
import type { BackupArchive } from './kind.ts'
import { archiveState, isVerified } from './rules.ts'
import { hasFailed, momentOf, slotOf } from './schedule.ts'
import { walTrouble } from './wal/rules.ts'

const second = 1000

/**
 * The time of the requested drill of a backup; '' when none was requested, or kubectl wrote something else there, which
 * the status would not take.
 */
export const askedDrill = ({ metadata }: Pick<BackupArchive, 'metadata'>): string =>
  time.safeParse(metadata.annotations?.[annotations.drill]).data ?? ''

/** Whether a requested drill has not ended. An incomplete backup is not restored. */
export function isDrillDue(archive: BackupArchive): boolean {
  const asked = askedDrill(archive)
  return asked !== '' && isVerified(archive) && archive.status?.drill?.asked !== asked
}

/**
 * The backup to restore on trial now: the newest complete one, once in seven days at a time that depends on the uid of
 * the database; a day later after a failed drill, and at once when none was requested yet.
 */
export function nextDrill(own: readonly BackupArchive[], uid: string, now: Date): BackupArchive | undefined {
  const whole = newestFirst(own.filter(isVerified))
  const slot = slotOf(uid, now, drillEverySeconds).getTime()
  const again = now.getTime() - drillAgainSeconds * second
  const isEnough = (archive: BackupArchive) =>
    isDrillDue(archive) || provenAt(archive) >= slot || Date.parse(askedDrill(archive)) > again
  return whole.some(isEnough) ? undefined : whole[0]
}

/** Why the data in the throwaway server differs from the counts recorded with the backup; '' when it does not. */
export function drillFailure(written: Counts | undefined, found: Counts | undefined): string {
  if (written === undefined) return ''
  if (found === undefined) return 'what was restored could not be counted'
  if (canonical(written) === canonical(found)) return ''
  return `what was restored has ${countsText(found)}, and the backup ${countsText(written)}`
}

/** `2 tables, 7 rows; replayed up to 2026-11-24T10:15:00Z: 2 tables, 9 rows`: the message of a drill that succeeded. */
export function provenText({ counts, replayed }: { counts: Counts | undefined; replayed?: Replayed }): string {
  const dumps = counts === undefined ? [] : [countsText(counts)]
  if (replayed === undefined) return dumps.join('')
  const what = replayed.point === '' ? 'the copy of its server' : `replayed up to ${replayed.point}`
  return [...dumps, `${what}: ${countsText(replayed.counts)}`].join('; ')
}

/** The message of a database whose backups are bad; '' when they are not. */
export function backupTrouble(own: readonly BackupArchive[], now: Date): string {
  const [newest] = newestFirst(own)
  if (newest !== undefined && hasFailed(newest) && !isVerified(newest))
    return `the newest backup failed: ${archiveState(newest).message}`
  const whole = newestFirst(own.filter(isVerified))
  const wal = walTrouble(whole[0], now)
  if (wal !== '') return wal
  const [last] = whole
    .filter(({ status }) => status?.drill !== undefined)
    .toSorted((one, other) => endOf(other) - endOf(one))
  if (last?.status?.drill?.outcome === 'Failed')
    return `the newest restore drill, of backup ${last.metadata.name}, failed: ${last.status.drill.message}`
  const proven = Math.max(...whole.map(provenAt), 0)
  const oldest = Math.min(...whole.map(momentOf))
  const late = now.getTime() - drillLateSeconds * second
  const isLate = proven === 0 ? oldest < late : proven < late - drillEverySeconds * second
  if (whole.length === 0 || !isLate) return ''
  return proven === 0
    ? 'no restore of its backups was proven yet'
    : `no restore of its backups was proven since ${new Date(proven).toISOString()}`
}

/** As `backupTrouble`, without backups that are still being taken: only their success ends a trouble. */
export const lastingTrouble = (own: readonly BackupArchive[], now: Date): string =>
  backupTrouble(
    own.filter((archive) => isVerified(archive) || hasFailed(archive)),
    now,
  )

const provenAt = ({ status }: BackupArchive): number =>
  status?.lastProvenAt === undefined ? 0 : Date.parse(status.lastProvenAt)

const endOf = ({ status }: BackupArchive): number => Date.parse(status?.drill?.at ?? '')

const newestFirst = (own: readonly BackupArchive[]): BackupArchive[] =>
  own.toSorted((one, other) => momentOf(other) - momentOf(one))
