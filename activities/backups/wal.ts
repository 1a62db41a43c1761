/**
 * The shipper: a Deployment that stores the WAL of a postgres, or the binary log of a mysql, beside the newest backup;
 * and the last moment that it stored (docs/reference/backups.md#point-in-time). Every step may be repeated at any time.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { defined } from '../../contract/defined.ts'
import { binlogFolder } from '../../kinds/backup-archives/binlog/ship-script.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { shipperName } from '../../kinds/backup-archives/names.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import { isTakenOver, laterMoment, slotsUnderWay, walSlot, withWal } from '../../kinds/backup-archives/wal/rules.ts'
import { walFolder } from '../../kinds/backup-archives/wal/ship-script.ts'
import { shipperDeployment } from '../../kinds/backup-archives/wal/shipper.ts'
import { effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import { keepsWal, walKeep } from '../../kinds/databases/keeps-wal.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { storageSizeOf } from '../../kinds/databases/sizes.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { applyChild } from '../kube/apply-child.ts'
import { removeOwnSecret } from '../kube/own-secret.ts'
import { writeStatus } from '../kube/write-status.ts'
import { openBucket } from './bucket.ts'
import { handOverKeys, jobOf, jobPlace, withBinlogTools } from './job.ts'
import { readUpto } from './stored-upto.ts'

/**
 * 1. Applies the shipper of the newest backup, with the current keys, 2. records the last stored moments of this backup
 *   and of the one before, 3. ends the shippers of earlier backups, once the log has no gap between. `own` are the
 *   backups of the database. Database and backups are read again: a shipper of a deleted record would never be ended.
 *   Resolves with '' or with why it cannot.
 */
export async function followWal(needs: ActivityNeeds, seen: Database, own: readonly BackupArchive[]) {
  const [known, former] = withWal(own)
  const database = await needs.databases.readLive(seen.metadata.name)
  const isGone = database === undefined || database.metadata.uid !== seen.metadata.uid
  if (known === undefined || isGone || !keepsWal(database)) {
    await endShippers(needs, seen, [])
    return ''
  }
  const newest = await needs.backupArchives.readLive(known.metadata.name)
  if (newest === undefined || newest.metadata.uid !== known.metadata.uid || !isVerified(newest)) return ''
  const { uid = '' } = database.metadata
  const place = { ...jobPlace(shipperName(newest.metadata.name), newest), owner: uid }
  const { spec } = newest
  const job = withBinlogTools(needs, await jobOf(needs, place, database, spec.version))
  const keep = walKeep(storageSizeOf(effectiveDatabaseSpec(database) ?? database.spec))
  // The Deployment goes before the Secret of its keys, which is removed by way of it. Its pod waits for the Secret.
  const shipped = { slot: walSlot(newest), stay: slotsUnderWay(own), keep }
  await applyChild(needs, shipperDeployment(job, shipped), uid)
  const unmet = await handOverKeys(needs, place, newest, false)
  if (unmet !== '') return unmet
  const last = await noteMoment(needs, newest)
  const before = former === undefined || isTakenOver(former, newest, needs.now()) ? undefined : former
  const noted = before === undefined ? undefined : await noteMoment(needs, before)
  const stays = noted === undefined || isTakenOver(noted, last, needs.now()) ? [] : [noted]
  await endShippers(needs, database, [last, ...stays])
  return ''
}

/** Removes the shippers of a database, except those of the backups in `stay`. */
export async function endShippers(
  { client }: Pick<ActivityNeeds, 'client'>,
  { metadata: { uid = '' }, spec }: Database,
  stay: readonly BackupArchive[],
): Promise<void> {
  const namespace = homeOf(spec)
  const labelSelector = `${labels.owner}=${uid}`
  const { items } = await client.list<KubeObject>(coreTypes.deployment, {
    namespace,
    labelSelector,
    metadataOnly: true,
  })
  const names = new Set(stay.map(({ metadata }) => shipperName(metadata.name)))
  for (const each of items.filter(({ metadata: { name } }) => !names.has(name))) await removeShipper(client, each, uid)
}

/** Removes the shipper of one backup, also if its database and its bucket are gone. */
export async function endShipper(
  { client }: Pick<ActivityNeeds, 'client'>,
  { metadata, spec }: Pick<BackupArchive, 'metadata' | 'spec'>,
): Promise<void> {
  const ref = { type: coreTypes.deployment, namespace: homeOf(spec), name: shipperName(metadata.name) }
  const found = await client.get<KubeObject>(ref)
  if (found?.metadata.labels?.[labels.owner] === spec.databaseUid) await removeShipper(client, found, spec.databaseUid)
}

async function removeShipper(
  client: ActivityNeeds['client'],
  { metadata: { name, namespace = '', uid } }: KubeObject,
  owner: string,
): Promise<void> {
  // The Secret goes before the Deployment, since a repeated pass finds both by the Deployment.
  await removeOwnSecret(client, { name, namespace, owner })
  await client.delete(
    { type: coreTypes.deployment, namespace, name },
    { ...defined({ uid }), propagation: 'Background' },
  )
}

/** Writes the last stored moment into the status; resolves with the written backup. */
async function noteMoment(needs: ActivityNeeds, archive: BackupArchive): Promise<BackupArchive> {
  const lastRestorePoint = laterMoment(archive, await storedUpto(needs, archive), needs.now())
  if (lastRestorePoint === undefined) return archive
  return writeStatus<BackupArchive>(needs.client, needs.backupArchives, resourceTypes.backupArchive, archive, {
    lastRestorePoint,
  })
}

/** '' if nothing was stored yet, or the bucket cannot be used. Throws UpstreamError. */
async function storedUpto(needs: ActivityNeeds, { spec }: BackupArchive): Promise<string> {
  const opened = await openBucket(needs, spec)
  if ('unmet' in opened) return ''
  const { s3, bucket } = opened
  try {
    return await readUpto(s3, bucket, `${spec.path}/${spec.engine === 'mysql' ? binlogFolder : walFolder}`)
  } finally {
    s3.end()
  }
}
