/** The resync of buckets' backups: creates those that are due and their restore drills, and reports bad ones. */
import { archiveName } from '../../kinds/backup-archives/names.ts'
import { lastSlot } from '../../kinds/backup-archives/schedule.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { isBucketReady } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { keepsBackups } from '../../kinds/provision/own-backups.ts'
import { askBucketBackup, bucketBackupRefusal } from '../../records/backups/ask-bucket-backup.ts'
import { notifyBackups } from '../webhooks/notify-backups.ts'
import type { CompareNeeds } from './compare.ts'
import { askDrillIfDue } from './drills.ts'
import { lookAtPage, type PageInput, type PageReport } from './page.ts'

/** Due backups and drills of buckets: names follow from times and drills are decided live, so it may be repeated. */
export const followBucketBackups = (needs: CompareNeeds, page: PageInput): Promise<PageReport> => {
  const groups = Map.groupBy(needs.backupArchives.cache.list(), ({ spec }) => spec.databaseUid)
  return lookAtPage(needs.objectStores.cache.list(), page, async (cached) => {
    const { name, uid = '' } = cached.metadata
    const own = groups.get(uid) ?? []
    const isAsked = await askIfDue(needs, cached)
    const isTried = await askDrillIfDue(needs, uid, own, async () => {
      const store = await needs.objectStores.readLive(name)
      return store?.metadata.uid === uid && isBucketReady(store)
    })
    await notifyBackups(needs, needs.objectStores, cached, own)
    return isAsked || isTried
  })
}

async function askIfDue(needs: CompareNeeds, cached: ObjectStore): Promise<boolean> {
  if (!isDue(needs, cached)) return false
  // Checked again on the live record, since the cache may be behind.
  const store = await needs.objectStores.readLive(cached.metadata.name)
  if (store === undefined || !isDue(needs, store)) return false
  if (bucketBackupRefusal(store, await needs.projects.readLive(store.spec.project), 'Schedule') !== '') return false
  const name = nameOf(needs, store)
  if ((await needs.backupArchives.readLive(name)) !== undefined) return false
  const { metadata } = await askBucketBackup(needs, store, { name, trigger: 'Schedule' })
  await needs.wake('backupArchive', metadata.name, 'its time has come')
  return true
}

const nameOf = ({ now }: CompareNeeds, { metadata: { name, uid = '' } }: ObjectStore): string =>
  archiveName(name, lastSlot(uid, now()))

const isDue = (needs: CompareNeeds, store: ObjectStore): boolean =>
  keepsBackups(store.spec) &&
  isBucketReady(store) &&
  needs.backupArchives.cache.get(nameOf(needs, store), systemNamespace) === undefined
