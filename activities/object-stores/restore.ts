/** Fills a new bucket with a backup before its connection Secret is written, so that no client sees half of it. */
import { annotations } from '../../kinds/meta/annotations.ts'
import { digest } from '../../kinds/meta/digest.ts'
import { bucketRestoreJob, failureIn, saysLoaded } from '../../kinds/backup-archives/jobs.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { restoreJobName } from '../../kinds/backup-archives/names.ts'
import { backedKind, backedNouns, isVerified } from '../../kinds/backup-archives/rules.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { effectiveStoreSpec } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { storedBuckets } from '../../kinds/object-stores/stored-buckets.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'
import { bucketJobOf, bucketLogin, noBucketLogin } from '../backups/bucket-job.ts'
import { clearJob, handOverKeys, type JobPlace, jobPlace, runJob, takeKeysBack } from '../backups/job.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { writeStatus } from '../kube/write-status.ts'
import { type Pass, permanent, type Unmet, waiting } from '../provision/step.ts'

const placeOf = (store: ObjectStore): JobPlace => jobPlace(restoreJobName(store.metadata.name), store)

const specOf = (store: ObjectStore) => effectiveStoreSpec(store) ?? store.spec

/** The backup to restore; undefined without one, or if the status has it as restored: a bucket is filled once. */
async function sourceOf(needs: ActivityNeeds, store: ObjectStore): Promise<BackupArchive | Unmet | undefined> {
  const { restoreFrom: from, project, buckets } = specOf(store)
  if (from === undefined || store.status?.restored !== undefined) return undefined
  const archive = await needs.backupArchives.readLive(from.archive)
  if (archive === undefined || archive.spec.project !== project) return permanent(`backup ${from.archive} is gone`)
  if (!isVerified(archive)) return permanent(`backup ${from.archive} is not whole`)
  const kind = backedKind(archive.spec)
  if (kind !== 'ObjectStore') return permanent(`backup ${from.archive} is of a ${backedNouns[kind]}, not of a bucket`)
  const count = archive.spec.buckets?.length ?? 0
  if (count !== buckets.length)
    return permanent(`backup ${from.archive} is of ${count} buckets, and ${buckets.length} are asked for`)
  return archive
}

/** Runs one Job for each intent; its success is one write of the record. */
export const restoreObjects =
  (needs: ActivityNeeds): Pass<ObjectStore> =>
  async (store) => {
    const archive = await sourceOf(needs, store)
    if (archive === undefined || 'outcome' in archive) return archive
    const { name, uid } = archive.metadata
    const place = placeOf(store)
    const login = await bucketLogin(needs, store)
    if (login === undefined) return waiting(noBucketLogin)
    const unmet = await handOverKeys(needs, place, archive, false, login)
    if (unmet !== '') return waiting(unmet)
    const spec = specOf(store)
    const subject = digest([provisionIntent(store, spec), uid])
    const job = await runJob(needs, place, subject, async () =>
      bucketRestoreJob(
        { ...(await bucketJobOf(needs, place)), notes: { [annotations.applied]: subject } },
        archive.status?.checksum ?? '',
        storedBuckets(spec),
      ),
    )
    if (job.outcome === 'running') return waiting(`restoring ${name}`)
    if (job.outcome === 'failed' || !saysLoaded(job.said)) {
      await takeKeysBack(needs, place)
      const why = failureIn(job.said)
      return permanent(why === '' ? 'the Job of the restore failed' : why)
    }
    const restored = { archive: name, point: archive.status?.firstRestorePoint ?? '' }
    await writeStatus(needs.client, needs.objectStores, resourceTypes.objectStore, store, { restored })
    return undefined
  }

/** Removes the restore Job and its Secret: the keys of backups stay no longer than the Job needs them. */
export const clearRestore =
  (needs: ActivityNeeds): Pass<ObjectStore> =>
  async (store) =>
    (await clearJob(needs, placeOf(store))) ? undefined : waiting('the Job of the restore is being removed')
