/** Notifies webhooks when the backups of a database turn bad (docs/reference/backups.md#telling-webhooks). */
import { lastingTrouble } from '../../kinds/backup-archives/drills.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { backedKind } from '../../kinds/backup-archives/rules.ts'
import { type BadBackups, badBackupsOf, withBadBackups } from '../../kinds/databases/bad-backups.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { isSubscribed } from '../../kinds/projects/webhooks.ts'
import type { RecordStore } from '../../records/store/record-store.ts'
import type { ActivityNeeds } from '../context/needs.ts'

type Needs = Pick<
  ActivityNeeds,
  'client' | 'databases' | 'logicalDatabases' | 'objectStores' | 'projects' | 'startDelivery' | 'lateMs' | 'now'
>
type Backed = Database | LogicalDatabase | ObjectStore

/**
 * 1. judges the live backups, 2. writes to the database's record that they turned bad, or good again, 3. starts the
 *   deliveries, under ids that can be started once. If a worker dies after 2, the next call starts them. `seen` are the
 *   cached backups: if they agree with the record, nothing is read live.
 */
export async function notifyBackups<T extends Backed>(
  needs: Needs,
  store: RecordStore<T>,
  database: T,
  seen: readonly BackupArchive[],
): Promise<void> {
  const known = badBackupsOf(database)
  // Before the annotation may be removed: the worker that wrote it may have died before it started the deliveries.
  if (known !== undefined) await notify(needs, database, known)
  if ((lastingTrouble(seen, needs.now()) !== '') === (known !== undefined)) return
  const { name, uid = '' } = database.metadata
  const { items } = await needs.client.list<BackupArchive>(resourceTypes.backupArchive, { namespace: systemNamespace })
  const now = needs.now()
  const message = lastingTrouble(
    items.filter(({ spec }) => spec.databaseUid === uid),
    now,
  )
  const bad = message === '' ? undefined : { since: now.toISOString(), message }
  const written = await store.edit(name, (current) =>
    current.metadata.uid === uid ? withBadBackups(current, bad) : undefined,
  )
  const found = written?.metadata.uid === uid ? badBackupsOf(written) : undefined
  if (written !== undefined && found !== undefined) await notify(needs, written, found)
}

/** The same for the database of a backup that failed a moment ago; without effect if the database is gone. */
export async function notifyFailedBackup(needs: Needs, archive: BackupArchive): Promise<void> {
  const kind = backedKind(archive.spec)
  if (kind === 'ObjectStore') return notifyOwner(needs, needs.objectStores, archive)
  return kind === 'LogicalDatabase'
    ? notifyOwner(needs, needs.logicalDatabases, archive)
    : notifyOwner(needs, needs.databases, archive)
}

async function notifyOwner<T extends Backed>(needs: Needs, store: RecordStore<T>, { spec }: BackupArchive) {
  const database = await store.readLive(spec.database)
  if (database === undefined || database.metadata.uid !== spec.databaseUid) return
  const { items } = await needs.client.list<BackupArchive>(resourceTypes.backupArchive, { namespace: systemNamespace })
  await notifyBackups(
    needs,
    store,
    database,
    items.filter((each) => each.spec.databaseUid === spec.databaseUid),
  )
}

/** Starts the deliveries to webhooks that were subscribed at that time; only while the event is recent. */
async function notify(
  { projects, startDelivery, lateMs, now }: Needs,
  { metadata, spec: { project, environment } }: Backed,
  { since: at, message: error }: BadBackups,
): Promise<void> {
  if (now().getTime() - Date.parse(at) > lateMs) return
  const hooks = projects.cache.get(project, systemNamespace)?.spec.webhooks ?? []
  const wanting = hooks.filter(
    (hook) => isSubscribed(hook, 'backup.failed') && Date.parse(hook.since ?? at) <= Date.parse(at),
  )
  const notice = { event: 'backup.failed', at, project, environment, database: metadata.name, error } as const
  await Promise.all(wanting.map(({ id }) => startDelivery(id, notice)))
}
