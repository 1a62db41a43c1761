/** The steps of a backup: wait for its database, write the keys for its Job, run the Job, remove Job and keys. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { defined } from '../../contract/defined.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { digest } from '../../kinds/meta/digest.ts'
import { backupJob, bucketBackupJob, failureIn, oneBackupJob, storedIn } from '../../kinds/backup-archives/jobs.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { backupJobName, isArchivePath, shipperName } from '../../kinds/backup-archives/names.ts'
import { backedName } from '../../kinds/backup-archives/rules.ts'
import { storedElsewhere } from '../../kinds/backup-archives/stored.ts'
import { walSlot } from '../../kinds/backup-archives/wal/rules.ts'
import { shipperLabel } from '../../kinds/backup-archives/wal/shipper.ts'
import { walKeep } from '../../kinds/databases/keeps-wal.ts'
import { storageSizeOf } from '../../kinds/databases/sizes.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { effectiveStoreSpec } from '../../kinds/object-stores/draft.ts'
import { bucketPrefix } from '../../kinds/object-stores/names.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'
import { type Backed, readBacked } from '../backups/backed.ts'
import { bucketJobOf, bucketLogin, noBucketLogin } from '../backups/bucket-job.ts'
import {
  clearJob,
  handOverKeys,
  type JobPlace,
  jobOf,
  jobPlace,
  runJob,
  takeKeysBack,
  withBinlogTools,
} from '../backups/job.ts'
import { endShipper, followWal } from '../backups/wal.ts'
import { awaitEnvironment } from '../context/environment-ready.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { writeStatus } from '../kube/write-status.ts'
import { type Pass, permanent, type Unmet, waiting } from '../provision/step.ts'

/** Name and namespace of the backup's Job, and of the Secret with its keys. */
export const placeOf = (archive: BackupArchive): JobPlace => jobPlace(backupJobName(archive.metadata.name), archive)

/** Skips the pass for a verified backup: its database and its environment may be gone by then. */
const unlessVerified =
  (pass: Pass<BackupArchive>): Pass<BackupArchive> =>
  async (archive) =>
    archive.status?.checksum === undefined ? pass(archive) : undefined

/** Triggers of backups that the database itself waits for: they must not wait until it is ready. */
const awaitedBy: ReadonlySet<BackupArchive['spec']['trigger']> = new Set(['Deletion', 'Upgrade'])

/** The database of the backup, read live since another one may have been created under its name; or the wait for it. */
async function databaseOf(needs: ActivityNeeds, archive: BackupArchive): Promise<Backed | { unmet: Unmet }> {
  const { spec } = archive
  const backed = await readBacked(needs, archive)
  if (backed === undefined)
    return { unmet: permanent(`${backedName(spec)} is gone, so nothing of it can be backed up`) }
  if (awaitedBy.has(spec.trigger) || backed.isReady) return backed
  return { unmet: waiting(`waiting for ${backedName(spec)} to be ready`) }
}

/** Waits for the database. A backup restored with the platform's own records is verified: it is not taken again. */
export const awaitDatabase = (needs: ActivityNeeds): Pass<BackupArchive> =>
  unlessVerified(async (archive) => {
    const stored = storedElsewhere(archive)
    if (stored !== undefined) {
      await writeStatus(needs.client, needs.backupArchives, resourceTypes.backupArchive, archive, defined(stored))
      return undefined
    }
    const found = await databaseOf(needs, archive)
    if ('unmet' in found) return found.unmet
    // The environment need not be ready: one that is being removed stays until its databases are gone.
    if (archive.spec.trigger === 'Deletion') return undefined
    const wait = await awaitEnvironment(needs, archive.spec)
    return wait === undefined ? undefined : waiting(wait.message)
  })

export const prepare = (needs: ActivityNeeds): Pass<BackupArchive> =>
  unlessVerified(async (archive) => {
    const found = await databaseOf(needs, archive)
    if ('unmet' in found) return found.unmet
    const { metadata, spec } = archive
    if (!isArchivePath(spec.path, spec.project, metadata.name))
      return permanent('the path of the backup is not its own')
    const login = found.kind === 'bucket' ? await bucketLogin(needs, found.record) : {}
    if (login === undefined) return waiting(noBucketLogin)
    const unmet = await handOverKeys(needs, placeOf(archive), archive, true, login)
    return unmet === '' ? undefined : waiting(unmet)
  })

/**
 * Runs one Job for each intent, which a retry changes. The result is one write of the record: there is no backup before
 * that write, and a whole one after it.
 */
export const run = (needs: ActivityNeeds): Pass<BackupArchive> =>
  unlessVerified(async (archive) => {
    const found = await databaseOf(needs, archive)
    if ('unmet' in found) return found.unmet
    const place = placeOf(archive)
    const subject = digest([provisionIntent(archive, archive.spec), found.record.metadata.uid])
    const job = await runJob(needs, place, subject, () => jobFor(needs, archive, found, subject))
    if (job.outcome === 'running') return waiting('the backup is being stored')
    const stored = job.outcome === 'succeeded' ? storedIn(job.said) : undefined
    if (stored === undefined) {
      await takeKeysBack(needs, place)
      const why = failureIn(job.said)
      return permanent(why === '' ? 'the Job of the backup failed' : why)
    }
    await writeStatus(needs.client, needs.backupArchives, resourceTypes.backupArchive, archive, {
      checksum: stored.checksum,
      size: stored.size,
      ...defined({ counts: stored.counts, base: stored.base, noLaterMoments: stored.noLaterMoments }),
      firstRestorePoint: stored.point,
      lastRestorePoint: stored.point,
      lastBackupAt: needs.now().toISOString(),
    })
    return undefined
  })

async function jobFor(needs: ActivityNeeds, archive: BackupArchive, backed: Backed, subject: string) {
  const { version, databaseName, pointInTime, engine } = archive.spec
  if (backed.kind === 'bucket') return bucketJobFor(needs, archive, backed.record, subject)
  const { server, logical } = backed
  const made = await jobOf(needs, placeOf(archive), server, version, logical)
  const job = { ...made, notes: { [annotations.applied]: subject } }
  if (logical !== undefined) return oneBackupJob(job, databaseName)
  if (pointInTime !== true || engine === 'bucket') return backupJob(job)
  const keep = walKeep(storageSizeOf({ ...archive.spec, engine }))
  return backupJob(withBinlogTools(needs, job), { slot: walSlot(archive), keep })
}

/** The Job by the deployed spec: a bucket name that is saved for the next deploy does not exist yet. */
async function bucketJobFor(needs: ActivityNeeds, archive: BackupArchive, store: ObjectStore, subject: string) {
  const spec = effectiveStoreSpec(store) ?? store.spec
  const job = { ...(await bucketJobOf(needs, placeOf(archive))), notes: { [annotations.applied]: subject } }
  return bucketBackupJob(job, { buckets: archive.spec.buckets ?? spec.buckets, prefix: bucketPrefix(spec) })
}

/**
 * For a verified backup: stores the WAL or the binary log from then on. For one that is being deleted: ends that and
 * waits for its pod, so that the files can be removed; other backups are left out, as their bucket may be gone.
 */
export const handOverWal =
  (needs: ActivityNeeds): Pass<BackupArchive> =>
  async ({ metadata, spec }) => {
    if (spec.pointInTime !== true) return undefined
    if (metadata.deletionTimestamp !== undefined) {
      await endShipper(needs, { metadata, spec })
      return (await isShipping(needs, { metadata, spec }))
        ? waiting(`its ${spec.engine === 'mysql' ? 'binary log' : 'WAL'} is being stored`)
        : undefined
    }
    const database = await needs.databases.readLive(spec.database)
    if (database?.metadata.uid !== spec.databaseUid) return undefined
    const unmet = await followWal(needs, database, await listOwn(needs, spec))
    return unmet === '' ? undefined : waiting(unmet)
  }

async function listOwn({ client }: ActivityNeeds, { databaseUid }: BackupArchive['spec']): Promise<BackupArchive[]> {
  const { items } = await client.list<BackupArchive>(resourceTypes.backupArchive, { namespace: systemNamespace })
  return items.filter(({ spec }) => spec.databaseUid === databaseUid)
}

async function isShipping({ client }: ActivityNeeds, { metadata, spec }: Pick<BackupArchive, 'metadata' | 'spec'>) {
  const { items } = await client.list<KubeObject>(coreTypes.pod, {
    namespace: homeOf(spec),
    labelSelector: `${shipperLabel}=${shipperName(metadata.name)}`,
    metadataOnly: true,
  })
  return items.length > 0
}

/** Removes the Job and its keys, also of a failed backup: the keys stay no longer than the Job needs them. */
export const clear =
  (needs: ActivityNeeds): Pass<BackupArchive> =>
  async (archive) =>
    (await clearJob(needs, placeOf(archive))) ? undefined : waiting('the Job of the backup is being removed')
