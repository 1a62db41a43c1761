/** The resync of logical databases' backups: creates those that are due and their restore drills, reports bad ones. */
import { archiveName } from '../../kinds/backup-archives/names.ts'
import { lastSlot } from '../../kinds/backup-archives/schedule.ts'
import { keepsBackups } from '../../kinds/provision/own-backups.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { logicalDatabaseState } from '../../kinds/logical-databases/rules.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { askLogicalBackup, logicalBackupRefusal } from '../../records/backups/ask-logical-backup.ts'
import { notifyBackups } from '../webhooks/notify-backups.ts'
import type { CompareNeeds } from './compare.ts'
import { askDrillIfDue } from './drills.ts'
import { lookAtPage, type PageInput, type PageReport } from './page.ts'

/**
 * Due backups and drills of logical databases: names follow from times and drills are decided live, so it may be
 * repeated.
 */
export const followLogicalBackups = (needs: CompareNeeds, page: PageInput): Promise<PageReport> => {
  const groups = Map.groupBy(needs.backupArchives.cache.list(), ({ spec }) => spec.databaseUid)
  return lookAtPage(needs.logicalDatabases.cache.list(), page, async (cached) => {
    const { name, uid = '' } = cached.metadata
    const own = groups.get(uid) ?? []
    const isAsked = await askIfDue(needs, cached)
    const isTried = await askDrillIfDue(needs, uid, own, async () => {
      const database = await needs.logicalDatabases.readLive(name)
      return database?.metadata.uid === uid && isReady(database)
    })
    await notifyBackups(needs, needs.logicalDatabases, cached, own)
    return isAsked || isTried
  })
}

async function askIfDue(needs: CompareNeeds, cached: LogicalDatabase): Promise<boolean> {
  if (!isDue(needs, cached)) return false
  // Checked again on the live record, since the cache may be behind.
  const database = await needs.logicalDatabases.readLive(cached.metadata.name)
  if (database === undefined || !isDue(needs, database)) return false
  const server = await needs.databases.readLive(database.spec.serverRef)
  const project = await needs.projects.readLive(database.spec.project)
  if (logicalBackupRefusal(database, server, project, 'Schedule') !== '') return false
  const name = nameOf(needs, database)
  if ((await needs.backupArchives.readLive(name)) !== undefined) return false
  const { metadata } = await askLogicalBackup(needs, database, { name, trigger: 'Schedule' })
  await needs.wake('backupArchive', metadata.name, 'its time has come')
  return true
}

const nameOf = ({ now }: CompareNeeds, { metadata: { name, uid = '' } }: LogicalDatabase): string =>
  archiveName(name, lastSlot(uid, now()))

const isReady = (database: LogicalDatabase): boolean => logicalDatabaseState(database).state === 'ready'

const isDue = (needs: CompareNeeds, database: LogicalDatabase): boolean =>
  keepsBackups(database.spec) &&
  isReady(database) &&
  needs.backupArchives.cache.get(nameOf(needs, database), systemNamespace) === undefined
