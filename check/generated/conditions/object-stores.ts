/** The messages of the object server and of its buckets. */
import type { ReadyReason } from '../../../kinds/meta/condition-reasons.ts'
import type { Section } from './section.ts'

export const objectStores: readonly Section<ReadyReason<'objectStore'>>[] = [
  {
    heading: '## The object server and buckets on it (`SvcObjectStore`)',
    rows: [],
  },
  {
    heading: '### The server',
    rows: [
      [
        'ObjectStoreReady',
        '`cluster server ready`',
        'test/workflows/object-stores.test.ts: the server is ready once it answers, and its connection Secret has its address',
      ],
      [
        'ReconcileError',
        '`server credentials unavailable`',
        'test/workflows/object-stores-twice.test.ts: of a bucket whose Secrets are missing says so, and so does one that the server refuses (a stand-in answers)',
      ],
      [
        'ReconcileError',
        '`installing the MinIO server`',
        'test/kinds/object-stores/server-manifests.test.ts: there is none yet: installing the MinIO server',
      ],
      [
        'ReconcileError',
        '`starting the MinIO server`',
        'test/kinds/object-stores/server-manifests.test.ts: its pod starts: starting the MinIO server',
      ],
      [
        'ReconcileError',
        '`starting the MinIO server: R`, R being what its pod lacks',
        'test/workflows/object-stores.test.ts: the server says why it does not start, and goes on once it can',
      ],
      [
        'ReconcileError',
        '`waiting for the MinIO server to answer`',
        'test/workflows/object-stores.test.ts: the server whose pod runs waits until it answers',
      ],
      [
        'ReconcileError',
        '`server credentials unavailable: the MinIO server does not accept them`',
        'test/workflows/object-stores-trouble.test.ts: a server that does not take its root login is waited for',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`the cluster has an object server already: N`',
        'test/workflows/object-stores.test.ts: a second server is refused in words',
      ],
      [
        'ReconcileError',
        '`delete the buckets on the object server first: N, …`',
        'test/workflows/object-stores.test.ts: the server does not go while a bucket is on it, names it, and then goes with all it had',
      ],
      [
        'ReconcileError',
        '`waiting for the MinIO server to stop`',
        'test/workflows/object-stores-twice.test.ts: of the server, made and removed',
      ],
      [
        'ReconcileError',
        '`waiting for the volume of the MinIO server to be removed`',
        'test/workflows/object-stores-twice.test.ts: of the server, made and removed',
      ],
    ],
  },
  {
    heading: '### Buckets on it',
    rows: [
      [
        'ObjectStoreReady',
        '`bucket ready on cluster server`',
        'test/workflows/object-stores.test.ts: the bucket that waited becomes ready with it, and its environment has a Secret with its keys',
      ],
      [
        'ReconcileError',
        '`Resource is configured and waiting for deployment`',
        'test/workflows/provisioning.test.ts: as a draft says that it waits for its deploy, and rests',
      ],
      [
        'ReconcileError',
        '`Configure the bucket name in settings, then deploy`',
        'test/workflows/provisioning.test.ts: is held by its finalizer before anything is made, and says what it waits for',
      ],
      [
        'ReconcileError',
        '`Set up the MinIO server in cluster settings first`',
        'test/workflows/object-stores.test.ts: a bucket made before the server says what it waits for',
      ],
      [
        'ReconcileError',
        '`project P has no environment E`, and what else an environment lacks',
        'test/workflows/provisioning.test.ts: waits for an environment that its project does not have',
      ],
      [
        'ReconcileError',
        '`credentials of the bucket unavailable`',
        'test/workflows/object-stores-twice.test.ts: of a bucket whose Secrets are missing says so, and so does one that the server refuses (a stand-in answers)',
      ],
      [
        'ReconcileError',
        '`server credentials unavailable`, `server credentials unavailable: the MinIO server does not accept them`',
        'test/workflows/object-stores-trouble.test.ts: a server that does not take its root login is waited for',
      ],
      [
        'ReconcileError',
        '`waiting for the MinIO server to answer`',
        'test/workflows/object-stores-trouble.test.ts: a server that is away is waited for, by new buckets and by deletions, and both go on when it is back',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`illegal bucket name B` (the cluster itself refuses most)',
        'test/kinds/object-stores/gates.test.ts: fails a name in capitals',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`bucket name too long: it is stored as S, which must be at most 63 characters`',
        'test/workflows/object-stores-trouble.test.ts: a name that is too long once it is prefixed fails, and a shorter one makes it ready',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`the project requires the node tag T, which the MinIO server does not run on`',
        'test/workflows/object-stores-trouble.test.ts: required tags that the server does not run on fail a bucket; without them a retry makes it',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`another bucket of this environment has this name: N`',
        'test/workflows/object-stores-trouble.test.ts: of two stores with the same bucket the older keeps it',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`the bucket S on the MinIO server belongs to another owner`',
        'test/workflows/object-stores-trouble.test.ts: a bucket of another owner on the server fails, is left as it is; it recovers with a retry once it is gone',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`Secret N in namespace X belongs to another owner; rename the service or remove that object`',
        'test/workflows/object-stores-trouble.test.ts: a Secret of another owner under the name of its own fails a bucket, is left as it is; it recovers with a retry once it is gone',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`the MinIO server refuses it: <status>: <code>: <text>`',
        'test/workflows/object-stores-twice.test.ts: of a bucket whose Secrets are missing says so, and so does one that the server refuses (a stand-in answers)',
      ],
    ],
  },
]
