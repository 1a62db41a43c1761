/** The messages of backups. */
import type { ReadyReason } from '../../../kinds/meta/condition-reasons.ts'
import type { Section } from './section.ts'

const file = 'test/workflows/backups.test.ts'
const second = 'test/workflows/point-in-time.test.ts'
const first = 'test/workflows/backup-first.test.ts'
const logical = 'test/workflows/logical-backups.test.ts'
const bucket = 'test/workflows/bucket-backups.test.ts'
const folders = 'test/activities/backups/other-folders.test.ts'

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
        '`waiting for database D to be ready`, `the backup is being stored`, `the Job of the backup is being removed`, `the backup is being restored on trial`, `the Job of the restore drill is being removed`',
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
        'of a record that was written by hand: `the path of the backup is not its own`',
        `${folders}: alone is written to`,
      ],
      [
        'ProvisionFailed',
        '`logical database D is gone, so nothing of it can be backed up`',
        `${logical}: of one that is gone fails at once`,
      ],
      [
        'ReconcileError',
        'of a logical database that is being deleted: `waiting for backup B: …`',
        `${logical}: is taken before its deletion, which waits for it, and is kept for the days of its database`,
      ],
      [
        'ReconcileError',
        'of a logical database that is being deleted: `the last backup failed: …; delete the logical database again to try it again, or with backupFirst off to go without it`',
        `${logical}: that fails before a deletion keeps the database until it is deleted again, with another one or without`,
      ],
      [
        'ProvisionFailed',
        '`bucket S is gone, so nothing of it can be backed up`',
        `${bucket}: of one that is gone fails at once`,
      ],
      [
        'ProvisionFailed',
        'of a bucket: `the objects of the bucket could not be read`, `the objects of the bucket could not be packed`',
        `${bucket}: goes once it is older than it is kept, but not before a newer one is whole`,
      ],
      [
        'ReconcileError',
        'of a bucket that is being deleted: `waiting for backup B: …`',
        `${bucket}: is taken before its deletion, which waits for it, and is kept for the days of its bucket`,
      ],
      [
        'ReconcileError',
        'of a bucket that is being deleted: `the last backup failed: …; delete the bucket again to try it again, or with backupFirst off to go without it`',
        `${bucket}: that fails before a deletion keeps the bucket until it is deleted again, with another one or without`,
      ],
      [
        'ReconcileError',
        'of a new bucket: `restoring B`, `the Job of the restore is being removed`',
        `${bucket}: is restored into a new bucket, whose keys are shown once the objects are in it`,
      ],
      [
        'ProvisionFailed',
        'of a new bucket: `the backup is not what was written: …`, `the backup could not be loaded`',
        `${bucket}: that is changed or cut short in the store is not restored: the bucket fails and says so`,
      ],
      [
        'ProvisionFailed',
        'of a new bucket: `backup B is gone`, `backup B is not whole`, `backup B is of a database, not of a bucket`, `backup B is of 1 buckets, and 2 are asked for`',
        `${bucket}: that is gone, not whole or of something else is not restored: the bucket fails and says so`,
      ],
      [
        'ReconcileError',
        'of the database: `waiting for backup B`, `waiting for backup B: …`',
        `${first}: deleted it keeps its server until the last backup is whole, and the backup for its days`,
      ],
      [
        'ReconcileError',
        'of a database that is being deleted: `the last backup failed: …; delete the database again to try it again, or with backupFirst off to go without it`',
        `${first}: whose last backup fails says so and stays, until it is deleted again, with another one or without`,
      ],
      [
        'ProvisionFailed',
        'of the database: `the backup before version V failed: …; retry, or deploy with backupFirst off`',
        `${first}: gets another version once its data is backed up; when that fails it stays on the one it has`,
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
      [
        'ReconcileError',
        '`its WAL is being stored`, of a mysql `its binary log is being stored`, while it is being deleted',
        `${second}: leaves no WAL in the bucket once its backups are deleted`,
      ],
      [
        'ProvisionFailed',
        'of the database: `the WAL of the backup ends before that moment` and what else the pod says',
        `${second}: fails in the words of its pod where the moment is not stored`,
      ],
      [
        'ProvisionFailed',
        'of the database: `a part of the binary log of the backup is missing` and what else the pod says',
        `test/workflows/binlog.test.ts: fails in the words of its pod where a part of the binary log is missing`,
      ],
      [
        'Event DrillFailed',
        '`what was restored has 3 tables, 8 rows, and the backup 3 tables, 9 rows` and what else a drill finds',
        `test/workflows/drills.test.ts: that finds something else than was stored fails, says what, and the backup stays`,
      ],
      [
        'Event DrillFailed',
        '`a part of the WAL of the backup is missing` and what else is found of a copy of a server and its WAL or binary log',
        `test/workflows/drills-of-wal.test.ts: fails in the words of its pod where a part of the WAL is missing, after one that was proven`,
      ],
    ],
  },
]
