/** The activities of a backup, bound to their clients and caches. */
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { archiveRules } from '../../kinds/backup-archives/rules.ts'
import { hasFailed } from '../../kinds/backup-archives/schedule.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { takeKeysBack } from '../backups/job.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import {
  markAccepted,
  markFailed,
  markReady,
  readPlan,
  removeFinalizer,
  writeDraftStatus,
} from '../provision/activities.ts'
import type { ProvisionContext } from '../provision/context.ts'
import { inOrder, quietStep, step } from '../provision/step.ts'
import { notifyFailedBackup } from '../webhooks/notify-backups.ts'
import { clearDrill, prove } from './prove.ts'
import { removeFiles } from './remove-files.ts'
import { awaitDatabase, clear, handOverWal, placeOf, prepare, run } from './take-backup.ts'

export const createBackupActivities = (needs: ActivityNeeds) => {
  const context: ProvisionContext<BackupArchive> = {
    client: needs.client,
    store: needs.backupArchives,
    type: resourceTypes.backupArchive,
    rules: archiveRules,
    now: needs.now,
  }
  return {
    readBackupPlan: readPlan(context),
    takeUpBackup: markAccepted(context),
    awaitBackedDatabase: step(context, awaitDatabase(needs)),
    prepareBackup: step(context, prepare(needs)),
    runBackup: step(context, run(needs)),
    clearBackup: step(context, inOrder(clear(needs), handOverWal(needs))),
    proveBackup: quietStep(context, prove(needs)),
    finishBackup: markReady<BackupArchive, 'backupArchive'>(context, () => ({
      reason: 'BackupVerified',
      message: 'Backup was stored, and read back as it was written',
      status: {},
    })),
    giveUpBackup: markBackupFailed(needs, context),
    tellBackupDraft: writeDraftStatus(context),
    removeBackupFiles: step(context, inOrder(clearDrill(needs), removeFiles(needs))),
    letBackupGo: removeFinalizer(context),
  }
}

/**
 * Marks a backup failed. The keys of its Job go first, since no pass follows for a failed backup, and it may fail for
 * another reason than its Job, such as a database that is gone. Then starts the webhook deliveries; the next resync
 * starts them if the worker dies before.
 */
function markBackupFailed(
  needs: ActivityNeeds,
  context: ProvisionContext<BackupArchive>,
): ReturnType<typeof markFailed> {
  const mark = markFailed(context)
  return async (input) => {
    const given = await needs.backupArchives.readLive(input.name)
    if (given?.metadata.uid === input.uid) await takeKeysBack(needs, placeOf(given))
    const plan = await mark(input)
    const archive = await needs.backupArchives.readLive(input.name)
    if (archive !== undefined && hasFailed(archive)) await notifyFailedBackup(needs, archive)
    return plan
  }
}
