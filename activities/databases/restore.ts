/** Fills a new server with a backup before its connection Secret is written, so that no client sees a half of it. */

import { annotations } from '../../kinds/meta/annotations.ts'
import { digest } from '../../kinds/meta/digest.ts'
import { failureIn, restoreJob, saysLoaded } from '../../kinds/backup-archives/jobs.ts'
import { restoreJobName } from '../../kinds/backup-archives/names.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'
import { clearJob, handOverKeys, type JobPlace, jobOf, jobPlace, runJob, takeKeysBack } from '../backups/job.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { writeStatus } from '../kube/write-status.ts'
import { type Pass, permanent, waiting } from '../provision/step.ts'
import { specOf } from './server.ts'

export const restorePlace = (database: Database): JobPlace => jobPlace(restoreJobName(database.metadata.name), database)

/** Once: a record that says what was restored into it is never filled again. */
export const restoreData =
  (needs: ActivityNeeds): Pass<Database> =>
  async (database) => {
    const spec = specOf(database)
    const from = spec.restoreFrom
    if (from === undefined || database.status?.restored !== undefined) return undefined
    const archive = await needs.backupArchives.readLive(from.archive)
    if (archive === undefined || archive.spec.project !== spec.project)
      return permanent(`backup ${from.archive} is gone`)
    const { checksum = '', lastRestorePoint = '' } = archive.status ?? {}
    if (!isVerified(archive)) return permanent(`backup ${from.archive} is not whole`)
    if (archive.spec.engine !== spec.engine)
      return permanent(`backup ${from.archive} is of ${archive.spec.engine}, not of ${spec.engine}`)
    const place = restorePlace(database)
    const unmet = await handOverKeys(needs, place, archive, false)
    if (unmet !== '') return waiting(unmet)
    const subject = digest([provisionIntent(database, spec), archive.metadata.uid])
    const job = await runJob(needs, place, subject, async () =>
      restoreJob(
        { ...(await jobOf(needs, place, database, spec.version)), notes: { [annotations.applied]: subject } },
        checksum,
      ),
    )
    if (job.outcome === 'running') return waiting(`restoring ${from.archive}`)
    if (job.outcome === 'failed' || !saysLoaded(job.said)) {
      await takeKeysBack(needs, place)
      const why = failureIn(job.said)
      return permanent(why === '' ? 'the Job of the restore failed' : why)
    }
    await writeStatus(needs.client, needs.databases, resourceTypes.database, database, {
      restored: { archive: from.archive, point: lastRestorePoint },
    })
    return undefined
  }

/** The keys of the backups stay no longer than they are needed. */
export const clearRestore =
  (needs: ActivityNeeds): Pass<Database> =>
  async (database) =>
    (await clearJob(needs, restorePlace(database))) ? undefined : waiting('the Job of the restore is being removed')
