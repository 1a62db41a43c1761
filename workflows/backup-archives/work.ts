/** The steps of a backup, each named for the Temporal UI; those that take the backup skip a verified one. */
import { patched } from '@temporalio/workflow'
import type { Calls } from '../calls.ts'
import type { ProvisionWork } from '../provision.ts'

export const backupWork = ({ reads, activity }: Calls): ProvisionWork => ({
  readPlan: reads.readBackupPlan,
  markAccepted: activity('Accept it').takeUpBackup,
  steps: () => [
    activity('Wait for the database').awaitBackedDatabase,
    activity('Hand the keys of the object store to the Job').prepareBackup,
    activity('Store the backup, and read it back').runBackup,
    activity('Remove the Job and its keys').clearBackup,
    ...(patched('drills') ? [activity('Restore it on trial, where that is asked for').proveBackup] : []),
  ],
  markReady: activity('Write that it is verified').finishBackup,
  markFailed: activity('Write that it failed').giveUpBackup,
  writeDraftStatus: activity('Write that it waits').tellBackupDraft,
  removals: () => [
    activity('Remove the Job and its keys').clearBackup,
    activity('Remove its files from the object store').removeBackupFiles,
  ],
  removeFinalizer: activity('Remove the finalizer').letBackupGo,
})
