/** The steps of a backup: its database, the keys for its Job, the Job, and what is removed after it. */

import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { defined } from '../../contract/defined.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { digest } from '../../kinds/meta/digest.ts'
import { backupJob, failureIn, storedIn } from '../../kinds/backup-archives/jobs.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { backupJobName, shipperName } from '../../kinds/backup-archives/names.ts'
import { storedElsewhere } from '../../kinds/backup-archives/stored.ts'
import { walKeep, walSlot } from '../../kinds/backup-archives/wal/rules.ts'
import { shipperLabel } from '../../kinds/backup-archives/wal/shipper.ts'
import { databaseState } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { storageSizeOf } from '../../kinds/databases/sizes.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'
import { clearJob, handOverKeys, type JobPlace, jobOf, jobPlace, runJob, takeKeysBack } from '../backups/job.ts'
import { followWal } from '../backups/wal.ts'
import { awaitEnvironment } from '../context/environment-ready.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { writeStatus } from '../kube/write-status.ts'
import { type Pass, permanent, type Unmet, waiting } from '../provision/step.ts'

const placeOf = (archive: BackupArchive): JobPlace => jobPlace(backupJobName(archive.metadata.name), archive)

/** Verified, it needs nothing more: neither its database nor its environment may be there any longer. */
const unlessVerified =
  (pass: Pass<BackupArchive>): Pass<BackupArchive> =>
  async (archive) =>
    archive.status?.checksum === undefined ? pass(archive) : undefined

/** The database waits for these itself, deleted or about to change: it will not be ready before. */
const awaitedBy: ReadonlySet<BackupArchive['spec']['trigger']> = new Set(['Deletion', 'Upgrade'])

type Found = { database: Database } | { unmet: Unmet }

/** Live: another database may have been made under the name. */
async function databaseOf({ databases }: ActivityNeeds, { spec }: BackupArchive): Promise<Found> {
  const database = await databases.readLive(spec.database)
  const same = spec.databaseUid === '' || database?.metadata.uid === spec.databaseUid
  const own = database?.spec.project === spec.project && database.spec.environment === spec.environment
  if (database === undefined || !same || !own)
    return { unmet: permanent(`database ${spec.database} is gone, so nothing of it can be backed up`) }
  if (awaitedBy.has(spec.trigger) || databaseState(database).state === 'ready') return { database }
  return { unmet: waiting(`waiting for database ${spec.database} to be ready`) }
}

/** What came back with the records of the platform was stored and read back before: nothing is stored again. */
export const awaitDatabase = (needs: ActivityNeeds): Pass<BackupArchive> =>
  unlessVerified(async (archive) => {
    const stored = storedElsewhere(archive)
    if (stored !== undefined) {
      await writeStatus(needs.client, needs.backupArchives, resourceTypes.backupArchive, archive, defined(stored))
      return undefined
    }
    const found = await databaseOf(needs, archive)
    if ('unmet' in found) return found.unmet
    // An environment that is archived stays until its databases are gone.
    if (archive.spec.trigger === 'Deletion') return undefined
    const wait = await awaitEnvironment(needs, archive.spec)
    return wait === undefined ? undefined : waiting(wait.message)
  })

export const prepare = (needs: ActivityNeeds): Pass<BackupArchive> =>
  unlessVerified(async (archive) => {
    const unmet = await handOverKeys(needs, placeOf(archive), archive, true)
    return unmet === '' ? undefined : waiting(unmet)
  })

/**
 * One Job for each intent, which a retry changes. What it stored stands in the record with one write: before it there
 * is no backup, and after it a whole one.
 */
export const run = (needs: ActivityNeeds): Pass<BackupArchive> =>
  unlessVerified(async (archive) => {
    const found = await databaseOf(needs, archive)
    if ('unmet' in found) return found.unmet
    const place = placeOf(archive)
    const subject = digest([provisionIntent(archive, archive.spec), found.database.metadata.uid])
    const job = await runJob(needs, place, subject, async () =>
      backupJob(
        {
          ...(await jobOf(needs, place, found.database, archive.spec.version)),
          notes: { [annotations.applied]: subject },
        },
        archive.spec.pointInTime === true
          ? { slot: walSlot(archive), keep: walKeep(storageSizeOf(archive.spec)) }
          : undefined,
      ),
    )
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
      ...defined({ counts: stored.counts, base: stored.base }),
      firstRestorePoint: stored.point,
      lastRestorePoint: stored.point,
      lastBackupAt: needs.now().toISOString(),
    })
    return undefined
  })

/**
 * Once it is verified its WAL is stored from then on. Of one that is being deleted nothing is stored any more once this
 * is done: its files may go.
 */
export const handOverWal =
  (needs: ActivityNeeds): Pass<BackupArchive> =>
  async ({ metadata, spec }) => {
    if (spec.pointInTime !== true) return undefined
    const database = await needs.databases.readLive(spec.database)
    if (database?.metadata.uid === spec.databaseUid) {
      const own = await listOwn(needs, spec)
      const unmet = await followWal(needs, database, own)
      if (unmet !== '') return waiting(unmet)
    }
    const isLeaving = metadata.deletionTimestamp !== undefined
    return isLeaving && (await isShipping(needs, { metadata, spec })) ? waiting('its WAL is being stored') : undefined
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

/** Also when it failed: the keys stay no longer than they are needed. */
export const clear =
  (needs: ActivityNeeds): Pass<BackupArchive> =>
  async (archive) =>
    (await clearJob(needs, placeOf(archive))) ? undefined : waiting('the Job of the backup is being removed')
