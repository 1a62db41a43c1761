/** The messages of all provisioned kinds, and of cloud connections. */
import type { ReadyReason } from '../../../kinds/meta/condition-reasons.ts'
import type { ProvisionedKind } from '../../../kinds/meta/resource-types.ts'
import type { Section } from './section.ts'

export const provisioned: readonly Section<ReadyReason<ProvisionedKind>>[] = [
  {
    heading: '## Everything that is provisioned',
    rows: [
      [
        'ReconcileError',
        '`being set up`',
        'test/workflows/provisioning.test.ts: is held by its finalizer before anything is made, and says what it waits for',
      ],
      [
        'ReconcileError',
        '`being removed`',
        'test/workflows/provisioning.test.ts: goes when it is deleted while it waits',
      ],
      [
        'ReconcileError, then ProvisionFailed',
        '`the cluster refuses it: …`',
        'test/workflows/provisioning.test.ts: fails with the words of a cluster that refuses what is made for it, and is made by a retry',
      ],
    ],
  },
]

export const cloudConnections: readonly Section<ReadyReason<'cloudConnection'>>[] = [
  {
    heading: '## Cloud connections (`SvcCloudConnection`)',
    intro:
      'The verdict on the keys is an end, not a wait: it is found anew when the Secret changes, for a retry, and by the resync while it is not `Connected`. ' +
      'moto stands in for AWS, a small server for PlanetScale.',
    rows: [
      [
        'Connected',
        '`connected to AWS: N`',
        'test/workflows/cloud-connections.test.ts: to AWS is Connected, and says which account it is',
      ],
      [
        'Connected',
        '`connected to PlanetScale: O`',
        'test/workflows/cloud-connections.test.ts: to PlanetScale is Connected while the token is good, and checked again for a retry',
      ],
      [
        'CredentialsIncomplete',
        '`Secret C-credentials is missing, or lacks the label svc.dev/project=P`, `Secret C-credentials lacks K`',
        'test/workflows/cloud-connections.test.ts: made with kubectl says that its keys are not there, and is Connected once they are written',
      ],
      [
        'CredentialsInvalid',
        '`<status>: <body>` of AWS',
        'test/workflows/cloud-connections.test.ts: with keys that AWS does not know is CredentialsInvalid until they are changed',
      ],
      [
        'CredentialsInvalid',
        '`<status>: <body>` of PlanetScale',
        'test/workflows/cloud-connections.test.ts: to PlanetScale is Connected while the token is good, and checked again for a retry',
      ],
      [
        'ReconcileError',
        '`AWS does not answer: W`, and so for PlanetScale and for errors of theirs',
        'test/workflows/cloud-connections.test.ts: is waited for while AWS does not answer',
      ],
      [
        'ReconcileError',
        '`in use; delete these first: …`',
        'test/workflows/cloud-connections.test.ts: is held while a store uses it, names that, and goes with its keys',
      ],
    ],
  },
]
