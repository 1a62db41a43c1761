/** Backups that are due, and the removal of those past their retention. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { backupRefusal, askBackup } from '../../records/backups/ask-backup.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { isDrillDue } from '../../kinds/backup-archives/drills.ts'
import { type Keeping, lastSlot, oldBackups } from '../../kinds/backup-archives/schedule.ts'
import { archiveName } from '../../kinds/backup-archives/names.ts'
import { backedKind } from '../../kinds/backup-archives/rules.ts'
import { withWal } from '../../kinds/backup-archives/wal/rules.ts'
import { databaseState, effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import type { Database, DatabaseSpec } from '../../kinds/databases/kind.ts'
import { effectiveStoreSpec } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore, ObjectStoreSpec } from '../../kinds/object-stores/kind.ts'
import { keepsBackups, retentionDaysOf } from '../../kinds/provision/own-backups.ts'
import { provisionState } from '../../kinds/provision/state.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { followWal } from '../backups/wal.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import type { CompareNeeds } from './compare.ts'
import { lookAtPage, type PageInput, type PageReport } from './page.ts'

/**
 * Creates backups that are due. The name of a scheduled backup follows from its time, so it is created once, however
 * many workers try. A backup that was missed while svc or the database was down is taken once both are up. Also keeps
 * the WAL shipper running, and records its last stored moment.
 */
export const askDueBackups = (needs: CompareNeeds, page: PageInput): Promise<PageReport> => {
  const groups = Map.groupBy(needs.backupArchives.cache.list(), ({ spec }) => spec.databaseUid)
  return lookAtPage(needs.databases.cache.list(), page, async ({ metadata: { name, uid = '' } }) => {
    const cached = needs.databases.cache.get(name, systemNamespace)
    if (cached === undefined) return false
    // Before the WAL, whose bucket may be gone for good: the new backup may go to another bucket.
    const isAsked = await askIfDue(needs, cached)
    const own = groups.get(uid) ?? []
    const unmet = withWal(own).length > 0 && cached.metadata.uid === uid ? await followWal(needs, cached, own) : ''
    if (unmet !== '') throw new Error(unmet)
    return isAsked
  })
}

async function askIfDue(needs: CompareNeeds, cached: Database): Promise<boolean> {
  if (!isDue(needs, cached)) return false
  const { name } = cached.metadata
  // Checked again on the live record, since the cache may be behind.
  const database = await needs.databases.readLive(name)
  if (database === undefined || !isDue(needs, database)) return false
  if (backupRefusal(database, await needs.projects.readLive(database.spec.project), 'Schedule') !== '') return false
  const wanted = archiveName(name, slotOf(needs, database))
  if ((await needs.backupArchives.readLive(wanted)) !== undefined) return false
  const { metadata } = await askBackup(needs, database, { name: wanted, trigger: 'Schedule' })
  await needs.wake('backupArchive', metadata.name, 'its time has come')
  return true
}

const slotOf = ({ now }: CompareNeeds, { metadata }: Database): Date => lastSlot(metadata.uid ?? '', now())

function isDue(needs: CompareNeeds, database: Database): boolean {
  if (effectiveDatabaseSpec(database)?.backups.enabled !== true) return false
  const name = archiveName(database.metadata.name, slotOf(needs, database))
  return (
    databaseState(database).state === 'ready' && needs.backupArchives.cache.get(name, systemNamespace) === undefined
  )
}

export const removeOldBackups = (needs: CompareNeeds, page: PageInput): Promise<PageReport> => {
  const groups = Map.groupBy(needs.backupArchives.cache.list(), ofSame)
  return lookAtPage(needs.backupArchives.cache.list(), page, (cached) =>
    removeIfOld(needs, cached, groups.get(ofSame(cached)) ?? []),
  )
}

const ofSame = ({ spec }: BackupArchive): string => `${spec.databaseKind ?? ''} ${spec.database} ${spec.databaseUid}`

/**
 * Removes the backup if its retention is over, judged on live records since a deletion is final. `seen` are the cached
 * backups of the same database.
 */
export async function removeIfOld(
  needs: ActivityNeeds,
  cached: BackupArchive,
  seen: readonly BackupArchive[],
): Promise<boolean> {
  const known = await keepingOf(needs, cached)
  const isOld = (backups: readonly BackupArchive[]) =>
    oldBackups(backups, known, needs.now()).some(({ metadata }) => metadata.name === cached.metadata.name)
  if (!isOld(seen)) return false
  const { items } = await needs.client.list<BackupArchive>(resourceTypes.backupArchive, { namespace: systemNamespace })
  const live = items.filter((each) => ofSame(each) === ofSame(cached))
  const { name, uid = '' } = cached.metadata
  const now = live.find(({ metadata }) => metadata.uid === uid)
  if (!isOld(live) || now === undefined || (await isRead(needs, now))) return false
  return needs.backupArchives.remove(name, uid, { actor: '', at: needs.now().toISOString() })
}

/** Whether a drill or a restore is reading the files: then a later resync removes the backup. */
async function isRead({ client }: Pick<ActivityNeeds, 'client'>, archive: BackupArchive): Promise<boolean> {
  if (isDrillDue(archive)) return true
  const query = { namespace: systemNamespace }
  if (backedKind(archive.spec) === 'ObjectStore') {
    const { items } = await client.list<ObjectStore>(resourceTypes.objectStore, query)
    return items.some((store) => isFilling(archive, store, effectiveStoreSpec(store)))
  }
  const { items } = await client.list<Database>(resourceTypes.database, query)
  return items.some((database) => isFilling(archive, database, effectiveDatabaseSpec(database)))
}

/** Whether the record is being restored from the backup; not one that failed, which may never be tried again. */
const isFilling = (
  { metadata: { name } }: BackupArchive,
  record: Database | ObjectStore,
  spec: Pick<DatabaseSpec | ObjectStoreSpec, 'restoreFrom'> | undefined,
): boolean =>
  spec?.restoreFrom?.archive === name &&
  record.status?.restored === undefined &&
  provisionState(record, spec).state === 'pending'

/** How long the database keeps backups by its current settings. */
async function keepingOf(
  { databases, logicalDatabases, objectStores }: Pick<ActivityNeeds, 'databases' | 'logicalDatabases' | 'objectStores'>,
  { spec }: BackupArchive,
): Promise<Keeping> {
  const isThat = ({ metadata }: KubeObject) => spec.databaseUid === '' || metadata.uid === spec.databaseUid
  const kind = backedKind(spec)
  if (kind !== 'Database') {
    const own = await (kind === 'ObjectStore' ? objectStores : logicalDatabases).readLive(spec.database)
    if (own === undefined || !isThat(own)) return 'gone'
    return keepsBackups(own.spec) ? retentionDaysOf(own.spec) : 'always'
  }
  const database = await databases.readLive(spec.database)
  if (database === undefined || !isThat(database)) return 'gone'
  const { backups } = effectiveDatabaseSpec(database) ?? database.spec
  return backups.enabled ? backups.retentionDays : 'always'
}
