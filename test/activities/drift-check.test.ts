/** The check of a service at rest, whose record asks for something by the time it is read. */
import { expect } from 'chai'
import { lookAtService } from '../../activities/apps/look.ts'
import type { ActivityNeeds, ChildCaches } from '../../activities/context/needs.ts'
import { noAttempt } from '../../durable/messages.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { createApp, createProject, deploy, type TestRecords, useRecords } from '../harness/records.ts'
import { withoutWorker } from '../harness/worker.ts'

describe('a check of what rests', function () {
  this.timeout(60_000)
  let records: TestRecords

  before(async () => {
    await withoutWorker()
    records = await useRecords()
  })
  afterEach(forgetRecords)

  /** The one copy of the release is up, as it is where the status was removed after the deploy. */
  const upAs = (release: string): ChildCaches => {
    const none = { get: () => undefined, by: () => [] }
    const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }
    const metadata = { name: 'web', generation: 1, annotations: { [annotations.release]: release } }
    const deployment = { metadata, spec: { replicas: 1 }, status }
    const deployments = { get: () => deployment, getSince: () => deployment }
    const kinds = ['pods', 'serviceAccounts', 'services', 'ingresses', 'autoscalers', 'disruptionBudgets']
    const empty = Object.fromEntries(
      [...kinds, 'volumeClaims', 'interceptorRoutes', 'scaledObjects'].map((kind) => [kind, none]),
    )
    return { ...empty, deployments } as unknown as ChildCaches // what the check reads of them
  }

  it('leaves a record without a status to the deploy that it asks for, and writes no end of none', async () => {
    const asked = viewOf(await deploy(records, await createApp(records, await createProject(records))))
    const { name, uid, intent, attempt } = asked.plan
    const needs = { ...records, children: upAs(attempt), placement: {}, now: () => new Date() }
    const input = { name, uid, intent, attempt: noAttempt, ended: attempt, deadlinePassed: false }
    const seen = await lookAtService(needs as unknown as ActivityNeeds)(input) // all that the check needs
    expect(seen.outcome).to.equal('changed')
    expect(seen.plan).to.include({ story: 'deploy', attempt })
    expect((await records.apps.readLive(name))?.status).to.equal(undefined)
  })
})
