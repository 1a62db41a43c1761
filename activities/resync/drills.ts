/**
 * Requests restore drills that are due, by one write of the backup, whose run does the rest; and notifies webhooks of
 * databases whose backups turned bad.
 */
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { nextDrill } from '../../kinds/backup-archives/drills.ts'
import { databaseState } from '../../kinds/databases/draft.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { notifyBackups } from '../webhooks/notify-backups.ts'
import type { CompareNeeds } from './compare.ts'
import { lookAtPage, type PageInput, type PageReport } from './page.ts'

/** Decides on live records: two workers request a drill only once, and none for a backup that is gone. */
export const askDueDrills = (needs: CompareNeeds, page: PageInput): Promise<PageReport> => {
  const groups = Map.groupBy(needs.backupArchives.cache.list(), ({ spec }) => spec.databaseUid)
  return lookAtPage(needs.databases.cache.list(), page, async ({ metadata: { name, uid = '' } }) => {
    return askDrillIfDue(needs, uid, groups.get(uid) ?? [], async () => {
      const database = await needs.databases.readLive(name)
      return database?.metadata.uid === uid && databaseState(database).state === 'ready'
    })
  })
}

/** `seen` are the cached backups of the database or bucket with this uid. */
export async function askDrillIfDue(
  needs: CompareNeeds,
  uid: string,
  seen: readonly BackupArchive[],
  isReady: () => Promise<boolean>,
): Promise<boolean> {
  if (nextDrill(seen, uid, needs.now()) === undefined || !(await isReady())) return false
  const { items } = await needs.client.list<BackupArchive>(resourceTypes.backupArchive, { namespace: systemNamespace })
  const at = needs.now()
  const due = nextDrill(
    items.filter(({ spec }) => spec.databaseUid === uid),
    uid,
    at,
  )
  return due !== undefined && (await ask(needs, due, at))
}

/** Notifies webhooks of backups that turned bad or good again, also by time alone: no drill has succeeded for long. */
export const notifyBadBackups = (needs: CompareNeeds, page: PageInput): Promise<PageReport> => {
  const groups = Map.groupBy(needs.backupArchives.cache.list(), ({ spec }) => spec.databaseUid)
  return lookAtPage(needs.databases.cache.list(), page, async (database) => {
    await notifyBackups(needs, needs.databases, database, groups.get(database.metadata.uid ?? '') ?? [])
    return false
  })
}

/** Requests a drill on condition of the version that was judged: another worker may have requested it a moment ago. */
async function ask(needs: CompareNeeds, { metadata }: BackupArchive, at: Date): Promise<boolean> {
  const { name, resourceVersion } = metadata
  let asked = false
  await needs.backupArchives.edit(name, (current) => {
    asked = current.metadata.resourceVersion === resourceVersion
    if (!asked) return undefined
    const notes = { ...current.metadata.annotations, [annotations.drill]: at.toISOString() }
    return { ...current, metadata: { ...current.metadata, annotations: notes } }
  })
  if (asked) await needs.wake('backupArchive', name, 'its restore drill is due')
  return asked
}
