/**
 * Fills a new server with a backup before its connection Secret is written, so that no client sees half of the data:
 * from the dumps, once the server runs; or to a later moment, a mysql once it runs, a postgres before it is created.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { digest } from '../../kinds/meta/digest.ts'
import { failureIn, recoveryJob, replayJob, restoreJob, saysLoaded } from '../../kinds/backup-archives/jobs.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { restoreJobName } from '../../kinds/backup-archives/names.ts'
import type { BackupJob } from '../../kinds/backup-archives/pods.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import { isRecovered } from '../../kinds/backup-archives/wal/rules.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { firstLogin, volumeName } from '../../kinds/databases/names.ts'
import { isPlaced } from '../../kinds/databases/progress.ts'
import { copySizeOf } from '../../kinds/databases/sizes.ts'
import { mounts } from '../../kinds/databases/start-script.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'
import {
  clearJob,
  handOverKeys,
  type JobPlace,
  type JobState,
  jobOf,
  jobPlace,
  runJob,
  takeKeysBack,
  withBinlogTools,
} from '../backups/job.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { writeStatus } from '../kube/write-status.ts'
import { type Pass, permanent, type Unmet, waiting } from '../provision/step.ts'
import { applyVolume } from './apply-server.ts'
import { readLogin, specOf } from './server.ts'

export const restorePlace = (database: Database): JobPlace => jobPlace(restoreJobName(database.metadata.name), database)

/** The backup to restore; undefined without one, or if the status has it as restored: a server is filled once. */
async function sourceOf(needs: ActivityNeeds, database: Database): Promise<BackupArchive | Unmet | undefined> {
  const spec = specOf(database)
  const from = spec.restoreFrom
  if (from === undefined || database.status?.restored !== undefined) return undefined
  const archive = await needs.backupArchives.readLive(from.archive)
  if (archive === undefined || archive.spec.project !== spec.project) return permanent(`backup ${from.archive} is gone`)
  if (!isVerified(archive)) return permanent(`backup ${from.archive} is not whole`)
  if (archive.spec.engine !== spec.engine)
    return permanent(`backup ${from.archive} is of ${archive.spec.engine}, not of ${spec.engine}`)
  return archive
}

/** The backup that a server is filled with, and the Job that does it. */
interface Filling {
  archive: BackupArchive
  /** The moment that the data has after the restore. */
  point: string
  make: (job: BackupJob) => KubeObject
}

/** The Job that restores the backup's own moment from its dumps; for a mysql also a later moment by the binary log. */
async function fillingOf(needs: ActivityNeeds, database: Database): Promise<Filling | Unmet | undefined> {
  const archive = await sourceOf(needs, database)
  if (archive === undefined || 'outcome' in archive) return archive
  const { checksum = '', base = '' } = archive.status ?? {}
  const point = specOf(database).restoreFrom?.point
  if (archive.spec.engine === 'mysql' && point !== undefined && isRecovered(archive, point))
    return { archive, point, make: (job) => replayJob(withBinlogTools(needs, job), { base, point }) }
  return { archive, point: momentText(archive), make: (job) => restoreJob(job, checksum) }
}

export const restoreData =
  (needs: ActivityNeeds): Pass<Database> =>
  async (database) => {
    const filling = await fillingOf(needs, database)
    return filling === undefined || 'outcome' in filling ? filling : fill(needs, database, filling)
  }

/**
 * Starts the restore Job while the server starts, so that it can check the backup meanwhile. `restoreData` reads its
 * result, and creates the same Job if there is none. Not before the server's pod is scheduled, which may take days.
 */
export const whileRestoring =
  (needs: ActivityNeeds, awaitServer: Pass<Database>): Pass<Database> =>
  async (database) => {
    const awaited = await awaitServer(database)
    const pods = needs.children.pods.by('owner', database.metadata.uid ?? '')
    if (awaited === undefined || !isPlaced(pods)) return awaited
    const filling = await fillingOf(needs, database)
    if (filling !== undefined && !('outcome' in filling)) await fillingJob(needs, database, filling)
    return awaited
  }

/**
 * Restores a postgres to a later moment: fills the volume before the server is created on it. The operator creates its
 * own volumes, so databases that it runs are restored from the dumps.
 */
export const recoverData =
  (needs: ActivityNeeds): Pass<Database> =>
  async (database) => {
    const archive = await sourceOf(needs, database)
    if (archive === undefined || 'outcome' in archive) return archive
    const spec = specOf(database)
    const point = spec.restoreFrom?.point
    if (spec.engine !== 'postgres' || point === undefined || !isRecovered(archive, point)) return undefined
    if ((await readLogin(needs, database))?.operated === true) return undefined
    await applyVolume(needs, database)
    return fill(needs, database, {
      archive,
      point,
      make: (job) =>
        recoveryJob(job, {
          base: archive.status?.base ?? '',
          point,
          former: firstLogin(archive.spec.database, spec),
          data: { claim: volumeName(database.metadata.name), at: mounts.postgres },
          size: copySizeOf(spec),
        }),
    })
  }

const momentText = ({ status }: BackupArchive): string => status?.firstRestorePoint ?? ''

/** Runs the Job to its end, and writes the restored backup and moment to the status in one write. */
async function fill(needs: ActivityNeeds, database: Database, filling: Filling): Promise<Unmet | undefined> {
  const { name } = filling.archive.metadata
  const job = await fillingJob(needs, database, filling)
  if (job.outcome === 'waiting') return job
  if (job.outcome === 'running') return waiting(`restoring ${name}`)
  if (job.outcome === 'failed' || !saysLoaded(job.said)) {
    await takeKeysBack(needs, restorePlace(database))
    const why = failureIn(job.said)
    return permanent(why === '' ? 'the Job of the restore failed' : why)
  }
  await writeStatus(needs.client, needs.databases, resourceTypes.database, database, {
    restored: { archive: name, point: filling.point },
  })
  return undefined
}

/** Writes the keys and runs the Job: one Job for each intent. */
async function fillingJob(
  needs: ActivityNeeds,
  database: Database,
  { archive, make }: Filling,
): Promise<JobState | (Unmet & { outcome: 'waiting' })> {
  const spec = specOf(database)
  const place = restorePlace(database)
  const unmet = await handOverKeys(needs, place, archive, false)
  if (unmet !== '') return { outcome: 'waiting', message: unmet }
  const subject = digest([provisionIntent(database, spec), archive.metadata.uid])
  return runJob(needs, place, subject, async () =>
    make({ ...(await jobOf(needs, place, database, spec.version)), notes: { [annotations.applied]: subject } }),
  )
}

/** Removes the restore Job and its Secret: the keys of backups stay no longer than the Job needs them. */
export const clearRestore =
  (needs: ActivityNeeds): Pass<Database> =>
  async (database) =>
    (await clearJob(needs, restorePlace(database))) ? undefined : waiting('the Job of the restore is being removed')
