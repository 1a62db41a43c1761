/** The messages of backups. */
import type { ReadyReason } from '../../../kinds/meta/condition-reasons.ts'
import type { Section } from './section.ts'

const file = 'test/workflows/backups.test.ts'

export const backups: readonly Section<ReadyReason<'backupArchive'>>[] = [
  {
    heading: '## Backups (`SvcBackupArchive`)',
    intro: 'A backup that failed is tried again by a retry, or by the next one.',
    rows: [
      [
        'BackupVerified',
        '`Backup was stored, and read back as it was written`',
        `${file}: is not whole before its pod has ended, and then verified, with nothing left of the Job`,
      ],
      [
        'ReconcileError',
        '`waiting for database D to be ready`, `the backup is being stored`, `the Job of the backup is being removed`',
        `${file}: is not whole before its pod has ended, and then verified, with nothing left of the Job`,
      ],
      [
        'ProvisionFailed',
        '`the dump of the database failed` and what else the pod says, `the Job of the backup failed`',
        `${file}: fails in the words of its pod, and another one is taken all the same`,
      ],
      [
        'ProvisionFailed',
        '`database D is gone, so nothing of it can be backed up`',
        `${file}: of a database that is gone fails at once`,
      ],
      [
        'ProvisionFailed',
        'of the database: `the backup is not what was written: …`, `backup B is gone`, `the backup could not be loaded`',
        `${file}: that was changed in the store is not restored: the database fails and says so`,
      ],
      [
        'ProvisionFailed',
        'of the database: `backup B is not whole`, `backup B is of E, not of F`',
        `${file}: that is gone, not whole or of another engine is not restored: the database fails and says so`,
      ],
      [
        'ReconcileError',
        'of the database: `restoring B`, `the Job of the restore is being removed`',
        `${file}: is restored into a database that is ready once it has the data, and says of which moment`,
      ],
      [
        'ReconcileError',
        '`waiting for the object store of the backups to answer`, `the object store of the backups refuses it: …`',
        `${file}: that is deleted while its bucket does not answer waits for it, and takes its files along`,
      ],
    ],
  },
]
