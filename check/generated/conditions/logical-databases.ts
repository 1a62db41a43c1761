/** The messages of logical databases. */
import type { ReadyReason } from '../../../kinds/meta/condition-reasons.ts'
import type { Section } from './section.ts'

export const logicalDatabases: readonly Section<ReadyReason<'logicalDatabase'>>[] = [
  {
    heading: '## Logical databases (`SvcLogicalDatabase`)',
    rows: [
      [
        'LogicalDatabaseReady',
        '`Logical database connection is available`',
        "test/workflows/logical-databases.test.ts: on a project's own server are ready with the server's own login: Logical database connection is available",
      ],
      [
        'ReconcileError',
        '`project P does not exist`',
        'test/workflows/logical-databases.test.ts: say that their project does not exist, or has no such environment',
      ],
      [
        'ReconcileError',
        '`project P has no environment E`',
        'test/workflows/logical-databases.test.ts: say that their project does not exist, or has no such environment',
      ],
      [
        'ReconcileError',
        '`project P is not ready`',
        'test/workflows/logical-steps.test.ts: wait for a project that is not ready',
      ],
      [
        'ReconcileError',
        '`server S does not exist`',
        'test/workflows/logical-databases.test.ts: say that their server does not exist, and go on when it is there',
      ],
      [
        'ReconcileError',
        '`server S is being deleted`',
        'test/workflows/logical-steps.test.ts: wait for a server that is being deleted, or has no connection secret',
      ],
      [
        'ReconcileError',
        '`server S is not ready`',
        'test/workflows/logical-databases.test.ts: say in turn that their server is not ready, has no connection secret, and no administrator login',
      ],
      [
        'ReconcileError',
        '`server S belongs to another project or environment`',
        'test/workflows/logical-databases.test.ts: say that their server belongs to another project or environment, or is no postgres or mysql database',
      ],
      [
        'ReconcileError',
        '`server S is no postgres or mysql database`',
        'test/workflows/logical-databases.test.ts: say that their server belongs to another project or environment, or is no postgres or mysql database',
      ],
      [
        'ReconcileError',
        '`server S has no connection secret`',
        'test/workflows/logical-steps.test.ts: wait for a server that is being deleted, or has no connection secret',
      ],
      [
        'ReconcileError',
        '`the connection secret of server S is not available`',
        'test/workflows/logical-databases.test.ts: say in turn that their server is not ready, has no connection secret, and no administrator login',
      ],
      [
        'ReconcileError',
        '`waiting for the administrator login of server S`',
        'test/workflows/logical-databases.test.ts: say in turn that their server is not ready, has no connection secret, and no administrator login',
      ],
      [
        'ReconcileError',
        '`server S is in region A and the project in region B`, `server S is in no region and the project in region B`',
        'test/workflows/logical-databases.test.ts: say that the shared server is in another region than the project, and look again when that changes',
      ],
      [
        'ReconcileError',
        '`waiting for the earlier database of this name to be dropped`',
        'test/workflows/logical-steps.test.ts: release the record after three minutes in which the server did not answer, and say what stays there',
      ],
      [
        'ReconcileError',
        '`creating logical database`',
        'test/workflows/logical-databases.test.ts: say creating logical database while their Job runs, and are removed with it',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`databaseName must use letters, digits, and underscores, and not start with a digit`',
        'test/workflows/logical-databases-failing.test.ts: for a name that cannot be rest as failed after failed passes in a row, and go on when it is edited',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        "`databaseName must be at most 63 characters`, `databaseName D is the server's own`",
        'test/kinds/logical-databases/names.test.ts: are refused in words',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`server S is not on nodes with the required tags of the project: T`',
        'test/workflows/logical-databases-failing.test.ts: for required node tags that the shared server does not cover; a failed one waits for its retry, whatever the tags become',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`the server has a database named D already: N`',
        'test/workflows/logical-databases-failing.test.ts: since two would be one database, and the later has it when the first is gone',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`Secret N-connection in namespace X belongs to another owner; …`, and so for a Job',
        'test/workflows/logical-databases-kept.test.ts: leave a Secret of another owner alone, and say so',
      ],
      [
        'ProvisionFailed',
        '`database creation Job failed`',
        'test/workflows/logical-databases-failing.test.ts: at once when their Job failed: database creation Job failed; a retry makes it anew',
      ],
      [
        'ReconcileError',
        '`waiting for the creation to stop`',
        'test/workflows/logical-steps.test.ts: on the shared server change nothing when they run again',
      ],
      [
        'ReconcileError',
        '`waiting for the database to be dropped`',
        'test/workflows/logical-databases-kept.test.ts: on the shared server are dropped by a Job, and leave nothing behind',
      ],
      [
        'Event NotDropped',
        '`the database D and the login U are still on server S; the Job J goes on trying for a day`',
        'test/workflows/logical-steps.test.ts: release the record after three minutes in which the server did not answer, and say what stays there',
      ],
    ],
  },
]
