/** Backups that are due, and those that are older than they are kept. */

import type { KubeObject } from '../../cluster/objects/object.ts'
import { backupRefusal, askBackup } from '../../records/backups/ask-backup.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { type Keeping, lastSlot, oldBackups } from '../../kinds/backup-archives/schedule.ts'
import { archiveName } from '../../kinds/backup-archives/names.ts'
import { backedKind } from '../../kinds/backup-archives/rules.ts'
import { withWal } from '../../kinds/backup-archives/wal/rules.ts'
import { databaseState, effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { keepsBackups, retentionDaysOf } from '../../kinds/provision/own-backups.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { followWal } from '../backups/wal.ts'
import type { CompareNeeds } from './compare.ts'
import { lookAtPage, type PageInput, type PageReport } from './page.ts'

/**
 * The name of a scheduled backup follows from its time, so each is made once, however many workers try and however
 * often. One that was missed, while svc or the database was down, is taken as soon as both are up. WAL goes on being
 * stored, and up to when it is, is noted.
 */
export const askDueBackups = (needs: CompareNeeds, page: PageInput): Promise<PageReport> => {
  const groups = Map.groupBy(needs.backupArchives.cache.list(), ({ spec }) => spec.databaseUid)
  return lookAtPage(needs.databases.cache.list(), page, async ({ metadata: { name, uid = '' } }) => {
    const cached = needs.databases.cache.get(name, systemNamespace)
    if (cached === undefined) return false
    // First, since it may go elsewhere: the bucket of the backup whose WAL is stored may be gone for good.
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
  // The cache may be behind: a backup is begun for what the cluster holds.
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

/** Judged on live records: a deletion cannot be taken back. */
export const removeOldBackups = (needs: CompareNeeds, page: PageInput): Promise<PageReport> => {
  const of = ({ spec }: BackupArchive) => `${spec.databaseKind ?? ''} ${spec.database} ${spec.databaseUid}`
  const groups = Map.groupBy(needs.backupArchives.cache.list(), of)
  return lookAtPage(needs.backupArchives.cache.list(), page, async (cached) => {
    const known = await keepingOf(needs, cached)
    const isOld = (backups: readonly BackupArchive[]) =>
      oldBackups(backups, known, needs.now()).some(({ metadata }) => metadata.name === cached.metadata.name)
    if (!isOld(groups.get(of(cached)) ?? [])) return false
    const { items } = await needs.client.list<BackupArchive>(resourceTypes.backupArchive, {
      namespace: systemNamespace,
    })
    const live = items.filter((each) => of(each) === of(cached))
    const { name, uid = '' } = cached.metadata
    return isOld(live) && live.some(({ metadata }) => metadata.uid === uid) && needs.backupArchives.remove(name, uid)
  })
}

/** How long its database keeps backups, as that is set now. */
async function keepingOf(
  { databases, logicalDatabases, objectStores }: CompareNeeds,
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
