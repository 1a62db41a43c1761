/** The messages of buckets at a cloud. */
import type { ReadyReason } from '../../../kinds/meta/condition-reasons.ts'
import type { Section } from './section.ts'

export const remoteBuckets: readonly Section<ReadyReason<'objectStore'>>[] = [
  {
    heading: '## Remote buckets (`SvcObjectStore`, engine Remote or placement External)',
    intro: 'moto stands in for AWS in every one of these tests; the faults are made on the wire by a proxy.',
    rows: [
      [
        'ObjectStoreReady',
        '`remote bucket ready`',
        'test/workflows/remote-stores.test.ts: as a draft waits for its deploy; deployed it is ready, with its Secret and its address',
      ],
      [
        'ReconcileError',
        '`Resource is configured and waiting for deployment`',
        'test/workflows/remote-stores.test.ts: as a draft waits for its deploy; deployed it is ready, with its Secret and its address',
      ],
      [
        'ReconcileError',
        '`Configure the bucket name in settings, then deploy`',
        'test/workflows/remote-stores.test.ts: waits for its bucket name and for its connection, and goes on when it is there',
      ],
      [
        'ReconcileError',
        '`cloud connection C is missing`',
        'test/workflows/remote-stores.test.ts: waits for its bucket name and for its connection, and goes on when it is there',
      ],
      [
        'ReconcileError',
        '`connectionRef is required for a remote store`',
        'test/activities/object-stores/remote.test.ts: says why its connection cannot be used',
      ],
      [
        'ReconcileError',
        '`cloud connection C is incomplete: Secret C-credentials is missing, or lacks the label svc.dev/project=P`, `… lacks K`',
        'test/activities/object-stores/remote.test.ts: says why its connection cannot be used',
      ],
      [
        'ReconcileError',
        '`cloud connection C has the wrong provider: PlanetScale, not AWS`',
        'test/activities/object-stores/remote.test.ts: says why its connection cannot be used',
      ],
      [
        'ReconcileError',
        '`cloud connection C is not scoped to this project`',
        'test/activities/object-stores/remote.test.ts: says why its connection cannot be used',
      ],
      [
        'ReconcileError',
        '`<status>: <body>` of throttling and of an error of AWS',
        'test/workflows/remote-stores.test.ts: waits as long as AWS throttles, and is ready when it no longer does',
      ],
      [
        'ReconcileError',
        '`AWS does not answer: W`',
        'test/outside/aws/aws.test.ts: takes a call that is ${fault} as something that passes',
      ],
      [
        'ReconcileError',
        '`waiting for bucket B to appear`, `waiting for user U to appear`',
        'test/activities/object-stores/remote.test.ts: waits until AWS shows everywhere what it has made',
      ],
      [
        'ReconcileError',
        '`waiting for AWS to let the key of the store in`',
        'test/activities/object-stores/remote.test.ts: is not ready before AWS lets its own key in',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`<status>: <body>` of any other refusal of AWS',
        'test/workflows/remote-stores.test.ts: fails when AWS refuses it for too long, with the words of AWS, and is ready after a retry',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`bucket B was not made for this store; turn createBucket off to use it as it is`',
        'test/activities/object-stores/remote.test.ts: refuses buckets and users that are not its own',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`bucket B belongs to another store: S`',
        'test/activities/object-stores/remote.test.ts: refuses buckets and users that are not its own',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`bucket B belongs to another account, or the cloud connection may not look at it`',
        'test/activities/object-stores/remote.test.ts: does not take a bucket for its own whose name another account took at the last moment',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`bucket B does not exist, and createBucket is off`',
        'test/activities/object-stores/remote.test.ts: refuses buckets and users that are not its own',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`bucket B is in region A, not in R`',
        'test/activities/object-stores/remote.test.ts: refuses buckets and users that are not its own',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`user U exists and was not made for this store`',
        'test/activities/object-stores/remote.test.ts: refuses buckets and users that are not its own',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`the store was made with cloud connection C and cannot be moved to D`',
        'test/activities/object-stores/remote.test.ts: stays with the connection that it has something at',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`Secret N-connection in namespace X belongs to another owner; …`',
        'test/activities/object-stores/remote.test.ts: refuses a Secret of its name that another owner made',
      ],
      [
        'ReconcileError',
        'what AWS says while it is taken down',
        'test/workflows/remote-stores.test.ts: says what its deletion waits for at AWS, and goes when that is over',
      ],
      [
        'ReconcileError',
        '`waiting for bucket B to be emptied`',
        'test/activities/object-stores/remote-removal.test.ts: says that its bucket is being emptied when that takes longer than a pass',
      ],
      [
        'ReconcileError',
        '`waiting for what was asked of AWS before the deletion to come about`',
        'test/activities/object-stores/remote-removal.test.ts: waits for what was asked of AWS before the deletion, and removes what came about late',
      ],
      [
        'ReconcileError',
        '`bucket B was made for this store, and the cloud connection may not look at it any more`',
        'test/activities/object-stores/remote-removal.test.ts: is not removed as long as its bucket may not be looked at',
      ],
      [
        'Event Abandoned',
        '`deleted without asking the cloud; what stays there: …`',
        'test/workflows/remote-stores.test.ts: whose keys are refused for good stays Terminating until an admin abandons it by its own name; what stays at AWS is reported',
      ],
    ],
  },
]
