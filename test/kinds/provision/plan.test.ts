/** The action that the record of a provisioned kind asks for. */
import { expect } from 'chai'
import { annotations } from '../../../kinds/meta/annotations.ts'
import {
  isNotAccepted,
  isReconciling,
  type Provisioned,
  provisionPlan,
  type ProvisionRules,
} from '../../../kinds/provision/plan.ts'
import { provisionIntent } from '../../../kinds/provision/state.ts'

type Sample = Provisioned & { spec: { deployed: boolean } }

const rules: ProvisionRules<Sample> = {
  effectiveSpec: ({ spec }) => (spec.deployed ? spec : undefined),
  finalizer: () => 'svc.svc.dev/sample',
  variant: () => 'only',
  reportsDrafts: false,
}

function sample(metadata: Partial<Sample['metadata']> = {}, status?: Sample['status'], deployed = true): Sample {
  return {
    apiVersion: 'v1',
    kind: 'Sample',
    metadata: { name: 'one', uid: 'u1', ...metadata },
    spec: { project: 'proj-00000000', environment: 'production', deployed },
    ...(status === undefined ? {} : { status }),
  }
}

const ready = (status: 'True' | 'False', reason: string) => [
  { type: 'Ready', status, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
]
const intent = provisionIntent(sample(), sample().spec)
const attempt = JSON.stringify({ id: 'a1', actor: 'ada', requestId: 'r1', at: '2026-01-01T00:00:00Z' })
const deletionTimestamp = '2026-01-01T00:00:00Z'

describe('the plan of what is provisioned', () => {
  const rows: [
    string,
    Sample | undefined,
    Partial<ReturnType<typeof provisionPlan>>,
    Partial<{ notAccepted: boolean; reconciling: boolean }>,
  ][] = [
    ['a name that is gone rests', undefined, { story: 'rest', mends: false, uid: '' }, {}],
    [
      'a draft rests',
      sample({}, undefined, false),
      { story: 'rest', mends: false },
      { notAccepted: false, reconciling: false },
    ],
    [
      'a deployed draft is provisioned',
      sample({ annotations: { [annotations.attempt]: attempt } }),
      { story: 'provision', operation: 'deploy', actor: 'ada' },
      { notAccepted: true, reconciling: true },
    ],
    [
      'a record made by kubectl is provisioned',
      sample(),
      { story: 'provision', operation: 'kubectl', actor: 'kubectl' },
      { notAccepted: true },
    ],
    [
      'what was accepted is provisioned, and not accepted again',
      sample({}, { acceptedIntent: intent }),
      { story: 'provision' },
      { notAccepted: false, reconciling: true },
    ],
    [
      'what is ready rests, and checks drift',
      sample({}, { acceptedIntent: intent, observedIntent: intent, conditions: ready('True', 'SampleReady') }),
      { story: 'rest', mends: true },
      { reconciling: false },
    ],
    [
      'what was disturbed goes on',
      sample({}, { acceptedIntent: intent, observedIntent: intent, conditions: ready('False', 'ReconcileError') }),
      { story: 'rest', mends: true },
      { reconciling: true },
    ],
    [
      'what failed rests',
      sample({}, { acceptedIntent: intent, observedIntent: intent, conditions: ready('False', 'ProvisionFailed') }),
      { story: 'rest', mends: false },
      { reconciling: false },
    ],
    [
      'a retry of it is provisioned',
      sample(
        { annotations: { [annotations.retry]: 't1' } },
        { acceptedIntent: intent, observedIntent: intent, conditions: ready('False', 'ProvisionFailed') },
      ),
      { story: 'provision', operation: 'retry-provision' },
      { notAccepted: true },
    ],
    [
      'a draft again, once provisioned, has its status written',
      sample({}, { acceptedIntent: intent, observedIntent: intent }, false),
      { story: 'draft' },
      { notAccepted: true },
    ],
    [
      'a deletion is carried out while our finalizer holds it',
      sample({ deletionTimestamp, finalizers: ['svc.svc.dev/sample'] }),
      { story: 'remove' },
      { notAccepted: true, reconciling: true },
    ],
    [
      'a deletion that another finalizer holds rests',
      sample({ deletionTimestamp, finalizers: ['other'] }),
      { story: 'rest', mends: false },
      { reconciling: false },
    ],
  ]
  for (const [title, record, wanted, expected] of rows) {
    it(title, () => {
      const plan = provisionPlan(rules, 'one', record)
      expect(plan).to.include(wanted)
      if (record === undefined) return
      if (expected.notAccepted !== undefined) expect(isNotAccepted(plan, record)).to.equal(expected.notAccepted)
      if (expected.reconciling !== undefined) expect(isReconciling(plan, record)).to.equal(expected.reconciling)
    })
  }

  it('writes the status of a new draft where the kind reports drafts', () => {
    expect(provisionPlan({ ...rules, reportsDrafts: true }, 'one', sample({}, undefined, false)).story).to.equal(
      'draft',
    )
  })
})
