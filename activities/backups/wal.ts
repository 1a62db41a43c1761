/**
 * The WAL of a postgres, or the binary log of a mysql, that keeps backups: what stores it beside the newest backup, and
 * up to which moment that came (docs/reference/backups.md#point-in-time). All of it may be repeated at any time.
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
 * 1. What stores the WAL of the newest backup, with the keys of now, 2. the last moments of this one and of the one
 *   before, 3. the end of those before, once nothing is missing between. `own` are the backups of the database; both
 *   may be a moment old: nothing is made for what is gone by now, since nothing would end it. '' or why it cannot be.
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
  // Before its keys, whose end is found by it. Its pod waits for them.
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

/** Of a database whose WAL is stored no more at once; otherwise all but those of these backups. */
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

/** That of one backup, whatever became of its database and of its bucket. */
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
  // Before the Deployment, by which both are found.
  await removeOwnSecret(client, { name, namespace, owner })
  await client.delete(
    { type: coreTypes.deployment, namespace, name },
    { ...defined({ uid }), propagation: 'Background' },
  )
}

/** Writes down the last moment that is stored; the backup as it is then. */
async function noteMoment(needs: ActivityNeeds, archive: BackupArchive): Promise<BackupArchive> {
  const lastRestorePoint = laterMoment(archive, await storedUpto(needs, archive), needs.now())
  if (lastRestorePoint === undefined) return archive
  return writeStatus<BackupArchive>(needs.client, needs.backupArchives, resourceTypes.backupArchive, archive, {
    lastRestorePoint,
  })
}

/** '' where nothing was stored yet, or the bucket cannot be reached any more. Throws UpstreamError. */
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
