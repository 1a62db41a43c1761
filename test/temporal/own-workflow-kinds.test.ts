/** The kinds with a workflow of their own: when a record of one needs a run, and whose activities a worker has. */
import { expect } from 'chai'
import type { ActivityNeeds } from '../../activities/context/needs.ts'
import { combineActivities } from '../../activities/provisioned-kinds.ts'
import { type App, appSpec } from '../../kinds/apps/kind.ts'
import { comparedKinds, ownWorkflowKinds, provisionedKinds } from '../../kinds/meta/resource-types.ts'
import { createOwnActivities, hasWork } from '../../temporal/own-workflow-kinds.ts'
import { readyApp } from './watch-world.ts'

const needs = {} as ActivityNeeds // nothing is called
const asks = (app: App): boolean => hasWork('app', app)

function withReady(app: App, status: 'True' | 'False'): App {
  const [ready] = app.status?.conditions ?? []
  if (ready === undefined) throw new Error('the service has no condition')
  return { ...app, status: { ...app.status, conditions: [{ ...ready, status }] } }
}

describe('a service', () => {
  it('that is ready as it should be has no work', () => expect(asks(readyApp(1))).to.equal(false))

  it('that was ready and is not now has work', () => expect(asks(withReady(readyApp(1), 'False'))).to.equal(true))

  it('that failed and rests has none, since the next attempt decides', () => {
    const failed = withReady(readyApp(1), 'False')
    const lastAttempt = { id: failed.status?.release ?? '', phase: 'Failed' as const }
    expect(asks({ ...failed, status: { ...failed.status, lastAttempt } })).to.equal(false)
  })

  it('that asks for another image has work', () => {
    const app = readyApp(1)
    const spec = appSpec.parse({ ...app.spec, source: { image: { image: 'svc/hello:2' } } })
    expect(asks({ ...app, spec })).to.equal(true)
  })
})

describe('the compared kinds', () => {
  it('are those with a workflow of their own and those that are provisioned, none of them twice', () => {
    const kinds = [...Object.keys(ownWorkflowKinds), ...Object.keys(provisionedKinds)]
    expect(Object.keys(comparedKinds)).to.deep.equal(kinds)
    expect(new Set(kinds).size).to.equal(kinds.length)
  })
})

describe('the activities', () => {
  it('of each kind are on the worker', () => {
    const names = Object.keys(combineActivities(createOwnActivities(needs)))
    expect(names).to.include.members(['readProjectPlan', 'readServicePlan', 'readBuildPlan'])
  })

  it('of two kinds under one name stop the worker', () => {
    const twice = [{ readPlan: () => undefined }, { check: () => undefined, readPlan: () => undefined }]
    expect(() => combineActivities(twice)).to.throw('two kinds have an activity readPlan')
  })
})
