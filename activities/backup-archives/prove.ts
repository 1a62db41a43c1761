/**
 * The restore drill of a backup: a Job that restores it into a server in its own pod, the verdict on its findings, and
 * its removal. The outcome is one write of the record, after which the Job and its keys are removed.
 */
import { ClusterError, isForbidden, isInvalid } from '../../cluster/objects/errors.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { digest } from '../../kinds/meta/digest.ts'
import { askedDrill, drillFailure, isDrillDue, provenText } from '../../kinds/backup-archives/drills.ts'
import { drilledIn, drillJob, failureIn, type Tried } from '../../kinds/backup-archives/jobs.ts'
import type { BackupArchive, BackupArchiveStatus } from '../../kinds/backup-archives/kind.ts'
import { drillJobName } from '../../kinds/backup-archives/names.ts'
import { isRecovered } from '../../kinds/backup-archives/wal/rules.ts'
import { effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import { copySizeOf, storageSizeOf } from '../../kinds/databases/sizes.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { type Backed, readBacked } from '../backups/backed.ts'
import { bucketJobOf } from '../backups/bucket-job.ts'
import {
  clearJob,
  handOverKeys,
  type JobPlace,
  type JobState,
  jobOf,
  jobPlace,
  runJob,
  withBinlogTools,
} from '../backups/job.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { OwnershipConflict } from '../kube/apply-child.ts'
import { recordEvent } from '../kube/event.ts'
import { writeStatus } from '../kube/write-status.ts'
import { type Pass, waiting } from '../provision/step.ts'
import { notifyFailedBackup } from '../webhooks/notify-backups.ts'

type Drill = NonNullable<BackupArchiveStatus['drill']>
type Ended = Pick<Drill, 'outcome' | 'message' | 'replayedTo'>

const drillPlace = (archive: BackupArchive): JobPlace => jobPlace(drillJobName(archive.metadata.name), archive)

/**
 * A missing key or bucket fails the drill without a wait, since a restore would not get further either. If the database
 * or bucket of the backup is gone, its backups need no proof any more, and the drill is cancelled.
 */
export const prove =
  (needs: ActivityNeeds): Pass<BackupArchive> =>
  async (archive) => {
    if (!isDrillDue(archive)) return clearDrill(needs)(archive)
    const backed = await readBacked(needs, archive)
    if (backed === undefined) return (await clearDrill(needs)(archive)) ?? cancel(needs, archive)
    const ended = await drill(needs, archive, backed).catch(refused)
    if (ended === undefined) return waiting('the backup is being restored on trial')
    const at = needs.now()
    await recordEnd(needs, archive, ended, at)
    await writeStatus(needs.client, needs.backupArchives, resourceTypes.backupArchive, archive, {
      drill: { asked: askedDrill(archive), at: at.toISOString(), ...ended },
      ...(ended.outcome === 'Proven' ? { lastProvenAt: at.toISOString() } : {}),
    })
    if (ended.outcome === 'Failed') await notifyFailedBackup(needs, archive)
    return clearDrill(needs)(archive)
  }

/** Removes the Job and the keys of a drill from the environment, also of a drill that was cut short. */
export const clearDrill =
  (needs: ActivityNeeds): Pass<BackupArchive> =>
  async (archive) =>
    (await clearJob(needs, drillPlace(archive))) ? undefined : waiting('the Job of the restore drill is being removed')

const failed = (message: string): Ended => ({ outcome: 'Failed', message })

/**
 * Cancels the drill by removing its annotation. This is the last write: the drill stays due if a worker dies before. A
 * newer drill request in the annotation stays.
 */
async function cancel({ backupArchives }: ActivityNeeds, archive: BackupArchive): Promise<undefined> {
  const { name, uid } = archive.metadata
  await backupArchives.edit(name, (current) => {
    if (current.metadata.uid !== uid || askedDrill(current) !== askedDrill(archive)) return undefined
    const { [annotations.drill]: _, ...notes } = current.metadata.annotations ?? {}
    return { ...current, metadata: { ...current.metadata, annotations: notes } }
  })
}

/** Starts or reads the Job of the drill; undefined while that runs. */
async function drill(needs: ActivityNeeds, archive: BackupArchive, backed: Backed): Promise<Ended | undefined> {
  const { metadata } = archive
  const place = drillPlace(archive)
  const unmet = await handOverKeys(needs, place, archive, false)
  if (unmet !== '') return failed(unmet)
  const subject = digest([metadata.uid, askedDrill(archive)])
  return endOf(archive, await runJob(needs, place, subject, () => jobFor(needs, archive, backed, place, subject)))
}

async function jobFor(needs: ActivityNeeds, archive: BackupArchive, backed: Backed, place: JobPlace, subject: string) {
  const { spec } = archive
  if (backed.kind === 'bucket') return bucketJobFor(needs, archive, place, subject)
  const { server: database } = backed
  const job = await jobOf(needs, place, database, spec.version)
  const known = effectiveDatabaseSpec(database) ?? database.spec
  const own = { ...job, secrets: { store: place.name, login: undefined, admin: undefined } }
  const tried = triedOf(archive)
  const tools = tried.copy === undefined ? own : withBinlogTools(needs, own)
  return drillJob({ ...tools, notes: { [annotations.applied]: subject } }, tried, {
    ...copySizeOf(known),
    storage: spec.storageSize ?? storageSizeOf(known),
  })
}

/**
 * The Job of a drill of a bucket. Its volume holds the objects twice: unpacked from the archive, and in the throwaway
 * object server.
 */
async function bucketJobFor(needs: ActivityNeeds, archive: BackupArchive, place: JobPlace, subject: string) {
  const job = await bucketJobOf(needs, place)
  const own = { ...job, secrets: { store: place.name, login: undefined, admin: undefined } }
  const storage = `${2 * Math.ceil((archive.status?.size ?? 0) / gibibyte) + 1}Gi`
  return drillJob({ ...own, notes: { [annotations.applied]: subject } }, triedOf(archive), {
    ...bucketDrillSize,
    storage,
  })
}

const gibibyte = 1024 ** 3
/** The size of the drill's object server: that of the cluster's own one by default. */
const bucketDrillSize = { cpu: '250m', memory: '512Mi' }

/** What the drill restores: the last restore point; '' for all of the log if that is the backup's own moment. */
function triedOf(archive: BackupArchive): Tried {
  const { checksum = '', base, lastRestorePoint = '' } = archive.status ?? {}
  if (base === undefined) return { checksum }
  return { checksum, copy: { base, point: isRecovered(archive, lastRestorePoint) ? lastRestorePoint : '' } }
}

function endOf({ status }: BackupArchive, job: JobState): Ended | undefined {
  if (job.outcome === 'running') return undefined
  const found = job.outcome === 'succeeded' ? drilledIn(job.said) : undefined
  if (found === undefined) {
    const why = failureIn(job.said)
    return failed(why === '' ? 'the Job of the restore drill failed' : why)
  }
  const failure = drillFailure(status?.counts, found.counts)
  if (failure !== '') return failed(failure)
  const { point = '' } = found.replayed ?? {}
  return { outcome: 'Proven', message: provenText(found), ...(point === '' ? {} : { replayedTo: point }) }
}

/** The failed end for an error that a retry would meet again: a taken name, or a refusal such as a used-up quota. */
function refused(error: unknown): Ended {
  if (error instanceof OwnershipConflict) return failed(error.message)
  if (error instanceof ClusterError && (isInvalid(error) || isForbidden(error)))
    return failed(`the cluster refuses it: ${error.message}`)
  throw error
}

async function recordEnd(needs: ActivityNeeds, archive: BackupArchive, ended: Ended, at: Date): Promise<void> {
  if (ended.outcome !== 'Failed') return
  const occurrence = `drill ${askedDrill(archive)}`
  await recordEvent(
    needs.client,
    archive,
    { type: 'Warning', reason: 'DrillFailed', message: ended.message, occurrence },
    at,
  )
}
