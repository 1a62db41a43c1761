/** What was applied of a service, and what was written over it. */
import { expect } from 'chai'
import { type AppliedKind, appliedKinds, appliedText } from '../../../kinds/apps/applied.ts'
import { annotations, labels } from '../../../kinds/meta/annotations.ts'

const head = (owner: string, applied?: string) => ({
  metadata: {
    labels: { [labels.owner]: owner },
    annotations: applied === undefined ? {} : { [annotations.applied]: applied },
  },
})

describe('what was applied of a service', () => {
  it('names each of its objects by some digits, and those that are not there, or not its own', () => {
    const objects: Partial<Record<AppliedKind, ReturnType<typeof head>>> = {
      Deployment: head('u1', '0123456789abcdef'),
      Service: head('u1', 'fedcba9876543210'),
      Ingress: head('another', '1111111111111111'),
      PodDisruptionBudget: head('u1'),
    }
    expect(
      appliedText(
        'u1',
        appliedKinds.map((kind) => objects[kind]),
      ),
    ).to.equal('01234567 - fedcba98 - - -')
  })
})
