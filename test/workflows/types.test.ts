/** Every reconciled kind has its workflow type in the bundle, under the name that starts its runs. */
import { expect } from 'chai'
import {
  deliveryWorkflow,
  gitPushWorkflow,
  pullRequestWorkflow,
  pushWorkflow,
  reportWorkflow,
  scheduleRunWorkflow,
  workflowType,
} from '../../durable/ids.ts'
import { type ReconciledKind, reconciledKinds } from '../../kinds/meta/resource-types.ts'
import * as workflows from '../../workflows/index.ts'

describe('the workflow types', () => {
  for (const kind of Object.keys(reconciledKinds) as ReconciledKind[])
    it(`have one for ${reconciledKinds[kind].words}`, () => expect(workflows).to.have.property(workflowType(kind)))

  it('are of those kinds, and of the resync, pushes, pull requests, reports, schedules and deliveries', () => {
    const known = (Object.keys(reconciledKinds) as ReconciledKind[]).map(workflowType)
    const pushes = [pushWorkflow, gitPushWorkflow, pullRequestWorkflow]
    const others = [deliveryWorkflow, ...pushes, reportWorkflow, scheduleRunWorkflow]
    expect(Object.keys(workflows).toSorted()).to.deep.equal([...known, 'resync', ...others].toSorted())
  })

  it('are distinguished by their ids', () => {
    const ids = Object.values(reconciledKinds).map(({ id }) => id)
    expect(new Set(ids).size).to.equal(ids.length)
  })
})
