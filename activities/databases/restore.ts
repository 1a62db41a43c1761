/**
 * Fills a new server with a backup before its connection Secret is written, so that no client sees a half of it: with
 * the dumps, once it runs, or with its data as of a later moment, a mysql once it runs, a postgres before it is made.
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

/** The backup that is to be restored; undefined where none is, or was already: a server is filled once. */
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

/** What a server is filled with, and the Job that does it. */
interface Filling {
  archive: BackupArchive
  /** The moment that is there then. */
  point: string
  make: (job: BackupJob) => KubeObject
}

/** The moment of the backup itself, from its dumps; of a mysql also a later one, by its binary log. */
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
 * Begins the Job while the server starts, which checks the backup meanwhile. What becomes of it is for `restoreData`,
 * which makes the same Job where there is none. Not before a node has the server: until then, it may take days.
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
 * A later moment of a postgres: the volume comes first and gets the data, and the server begins with it. The operator
 * makes volumes of its own: what it runs is filled with the dumps.
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

/** That the Job came to its end, and which moment is there now, is one write of the record. */
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

/** One Job for each intent. */
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

/** The keys of the backups stay no longer than they are needed. */
export const clearRestore =
  (needs: ActivityNeeds): Pass<Database> =>
  async (database) =>
    (await clearJob(needs, restorePlace(database))) ? undefined : waiting('the Job of the restore is being removed')
