/** The backup that is taken before a bucket on the object server is deleted with its objects. */
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { effectiveStoreSpec } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { retentionDaysOf } from '../../kinds/provision/own-backups.ts'
import { askBucketBackup, bucketBackupRefusal } from '../../records/backups/ask-bucket-backup.ts'
import { awaitLastBackup } from '../backups/last-backup.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { writeStatus } from '../kube/write-status.ts'
import type { Pass } from '../provision/step.ts'
import { readAccess } from './remove-bucket.ts'

/** Skipped once the status names the backup, and for a bucket that was never ready, which holds no objects. */
export const lastBackup =
  (needs: ActivityNeeds): Pass<ObjectStore> =>
  async (store) => {
    const { spec, status } = store
    if (status?.lastBackup !== undefined || status?.connectionSecret === undefined) return undefined
    // No backup once the bucket's access is removed: an earlier release of svc may have begun the removal.
    const access = await readAccess(needs, store)
    if (access !== 'open') return access === 'closed' ? undefined : access
    return awaitLastBackup(needs, store, {
      async ask(name, project) {
        if (bucketBackupRefusal(store, project, 'Deletion') !== '') return undefined
        const keepDays = retentionDaysOf(effectiveStoreSpec(store) ?? spec)
        return askBucketBackup(needs, store, { name, trigger: 'Deletion', keepDays })
      },
      note: (name) =>
        writeStatus(needs.client, needs.objectStores, resourceTypes.objectStore, store, { lastBackup: name }),
    })
  }
