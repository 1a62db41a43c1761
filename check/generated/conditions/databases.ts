/** The messages of databases. */
import type { ReadyReason } from '../../../kinds/meta/condition-reasons.ts'
import type { Section } from './section.ts'

export const databases: readonly Section<ReadyReason<'database'>>[] = [
  {
    heading: '## Databases (`SvcDatabase`)',
    intro: '`kubectl` gets the same sentences that the api refuses with. NAME is the record.',
    rows: [
      [
        'DatabaseReady',
        '`Database connection is available`',
        'test/workflows/databases.test.ts: postgres is made with its Secrets, and goes with all that was made',
      ],
      [
        'ReconcileError',
        '`project P has no environment E` and what else an environment lacks',
        'test/workflows/databases-trouble.test.ts: waits for an environment that its project does not have',
      ],
      [
        'ReconcileError',
        '`volume being made`, `image being pulled`, `starting`, `the image cannot be pulled …`',
        'test/kinds/databases/progress.test.ts: with a volume that is not there waits for: volume being made',
      ],
      [
        'ReconcileError',
        '`container postgres keeps exiting …`',
        'test/workflows/databases-trouble.test.ts: reports that its server keeps exiting, recovers by an edit, and can be deleted meanwhile',
      ],
      [
        'ReconcileError',
        '`no node has capacity for a copy: …`',
        'test/workflows/databases-change.test.ts: whose node tags ask for other nodes rolls its server onto them, and says when there is none',
      ],
      [
        'ReconcileError',
        '`volume being enlarged`',
        'test/workflows/databases-change.test.ts: to a larger volume waits for it where the class can grow, and is refused where it cannot',
      ],
      [
        'ReconcileError',
        '`high availability needs the CloudNativePG operator, which is not installed on this cluster`',
        'test/workflows/databases-operated.test.ts: waits for the operator, and goes on by itself once that is installed',
      ],
      [
        'ReconcileError',
        '`waiting for the operator to begin`, `N of M copies ready; the operator says: …`',
        'test/workflows/databases-operated.test.ts: says how far the operator is, and is ready with all copies',
      ],
      [
        'ReconcileError',
        '`HOST does not answer on port P: WHY`',
        'test/workflows/databases-external.test.ts: that does not answer is waited for',
      ],
      [
        'ReconcileError',
        '`no secure connection to HOST: its certificate is not valid (CODE); put ca.crt or sslmode beside the password`, `…: it has none; put sslmode beside the password`',
        'test/outside/databases/login.test.ts: ${engine}: a host with a public address gets no password before its certificate is valid, unless its owner says so',
      ],
      [
        'ReconcileError',
        '`waiting for an sslmode in the Secret S: disable, prefer, require, verify-ca, verify-full`',
        'test/workflows/databases-external.test.ts: with a misspelt sslmode is waited for instead of guessed',
      ],
      [
        'ReconcileError',
        '`waiting for a Secret S with the label svc.dev/project=P`, `waiting for the key K of the Secret S`',
        'test/workflows/databases-external.test.ts: waits for a Secret that is labelled for its project, and for its key',
      ],
      [
        'ReconcileError',
        '`PlanetScale is making the database`',
        'test/workflows/databases-planetscale.test.ts: is made with one password, and removed there when it is deleted',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`Service S in namespace N belongs to another owner; …`',
        'test/workflows/databases-trouble.test.ts: leaves a Service of another owner alone, fails in words, and is made by a retry once that is gone',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`the login was given for another host than HOST:P; change the login`',
        'test/workflows/databases-connected.test.ts: whose host is changed in its record gets no login sent to the other server, and is ready again for its own',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`the server refuses the login: …`, also of one that was ready',
        'test/workflows/databases-external.test.ts: whose login is refused says so without the password, and fails',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`<status>: <body>` of PlanetScale; 5xx and 429 are waited for',
        'test/workflows/databases-planetscale.test.ts: that is refused fails with its words, and what does not answer is waited for',
      ],
      [
        'ProvisionFailed',
        '`high availability needs the engine postgres`, `this database runs as a single instance; …`',
        'test/workflows/databases-trouble.test.ts: with several copies needs postgres and the operator, and says which',
      ],
      [
        'ProvisionFailed',
        '`databaseName must use letters, …`',
        'test/workflows/databases-trouble.test.ts: with a first database that no engine takes is refused in words',
      ],
      [
        'ProvisionFailed',
        '`postgres 17 cannot open the data of postgres 16.2; …`, `E V is older than the W that wrote the data`',
        'test/workflows/databases-change.test.ts: to another major version of postgres is refused in words, and what runs goes on; taken back it is ready',
      ],
      [
        'ProvisionFailed',
        '`storageSize cannot shrink; the database has S`',
        'test/workflows/databases-change.test.ts: to a smaller volume is refused in words',
      ],
      [
        'ProvisionFailed',
        '`this cluster cannot enlarge volumes; the database keeps its S`',
        'test/workflows/databases-change.test.ts: to a larger volume waits for it where the class can grow, and is refused where it cannot',
      ],
      [
        'ProvisionFailed',
        '`the passwords of this database are gone, …`',
        'test/workflows/databases-drift.test.ts: when every Secret with its passwords is gone, it says so and touches nothing; a retry repairs it once they are restored',
      ],
      [
        'ProvisionFailed',
        '`an external database needs externalHost, …`, `… must be postgres or mysql`, `… needs a provider and a connectionRef`, `databases at AWS cannot be made from here; …`',
        'test/workflows/databases-external.test.ts: without a host, or with an engine that cannot be elsewhere, or at AWS, is refused in words',
      ],
      [
        'ProvisionFailed',
        '`a database at PlanetScale must be mysql`',
        'test/workflows/databases-planetscale.test.ts: with another engine than mysql is refused in words',
      ],
      [
        'ReconcileError',
        '`delete the logical databases on this server first: …`',
        'test/workflows/databases-trouble.test.ts: deleted with kubectl it waits for the logical databases on it, names them, and says once what it removes',
      ],
      [
        'ReconcileError',
        '`waiting for the server to stop`, `waiting for the volume and the Secrets to go`, `PlanetScale is removing the database`',
        'test/workflows/databases-operated.test.ts: is removed by way of its Cluster, and waits for the pods of the operator',
      ],
      [
        'ReconcileError',
        '`waiting for what was asked of PlanetScale before the deletion to come about`',
        'test/activities/databases/planetscale.test.ts: is removed, too: the removal is not done until no creation can come about any more',
      ],
      [
        'Event Abandoned',
        '`deleted without asking the cloud; what stays there: …`',
        'test/workflows/databases-planetscale.test.ts: whose organization is gone stays Terminating until it is abandoned, and says what stays there',
      ],
      [
        'Event Removing',
        '`removes StatefulSet NAME, …, and the data with them`',
        'test/workflows/databases-trouble.test.ts: deleted with kubectl it waits for the logical databases on it, names them, and says once what it removes',
      ],
    ],
  },
]
