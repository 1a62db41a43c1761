/** A run whose looks find missing, again and again, what it applied: the activities answer so, all else is real. */
import { expect } from 'chai'
import type { WorkflowHandle } from '@temporalio/client'
import { optionalTsToMs } from '@temporalio/common/lib/time.js'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import type { Prepared, Seen, Started } from '../../activities/apps/messages.ts'
import { policyWith } from '../../durable/policy.ts'
import type { Plan } from '../../kinds/apps/deploy/plan.ts'
import { temporalSettings } from '../../temporal/client/client.ts'
import { workflowBundle } from '../../temporal/releases/workflow-bundle.ts'
import { testPolicy } from '../harness/worker.ts'
import { useStack } from '../harness/stack.ts'
import { useClient } from '../harness/temporal-client.ts'
import { eventsOf, present } from './activity-limits.ts'

const name = 'missing-again'
const plan: Plan = {
  story: 'rest',
  name,
  uid: 'uid-1',
  intent: 'intent-1',
  attempt: `${name}-abcde`,
  operation: 'deploy',
  project: 'proj-00000001',
  environment: 'production',
  actor: 'a',
  startedAt: 0,
}

describe('a service of which something is missing again after it was applied', function () {
  this.timeout(60_000)
  let connection: NativeConnection
  let worker: Worker
  let running: Promise<void>
  let looks = 0
  let missingTimes = 0
  const activities = {
    startService: async (): Promise<Started> => ({ plan }),
    readServicePlan: async (): Promise<Plan> => plan,
    prepareServiceInTask: async (): Promise<Prepared> => ({ outcome: 'applied', plan, unmoved: true }),
    lookAtService: async (): Promise<Seen> => {
      looks += 1
      return looks > missingTimes ? { outcome: 'ended', plan, failure: '' } : { outcome: 'missing', plan }
    },
  }

  before(async () => {
    Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('WARN') })
    const { temporalAddress } = await useStack()
    const { address, namespace } = temporalSettings({ SVC_TEMPORAL_ADDRESS: temporalAddress })
    connection = await NativeConnection.connect({ address })
    const workflows = { codePath: await workflowBundle() }
    worker = await Worker.create({ connection, namespace, taskQueue: name, workflowBundle: workflows, activities })
    running = worker.run()
  })
  after(async () => {
    worker?.shutdown()
    await running
    await connection?.close()
  })

  /** Resolves with the last of the runs that continued one another, once that has ended. */
  const runWith = async (policy: object, times: number) => {
    looks = 0
    missingTimes = times
    const { workflow } = await useClient()
    const args = [{ name, policy, searchable: false }]
    const handle = await workflow.start('service', { taskQueue: name, workflowId: `app/${name}`, args })
    await handle.result()
    expect(looks).to.equal(missingTimes + 1)
    return { first: handle.firstExecutionRunId, last: workflow.getHandle(`app/${name}`) }
  }

  /** How long each pause of a run was to be, in milliseconds. */
  const pausesOf = async (run: WorkflowHandle) =>
    (await eventsOf(run.workflowId)).flatMap(({ timerStartedEventAttributes: timer }) =>
      present(timer?.startToFireTimeout).map(optionalTsToMs),
    )

  it('is looked at after a pause each time, and no faster, until it is there', async () => {
    const { last } = await runWith(policyWith({ ...testPolicy, missingAgainMs: 300 }), 4)
    // Not after the drift that was found at rest, nor after the first pass: what is merely lost is made again at once.
    expect(await pausesOf(last)).to.deep.equal(Array.from({ length: missingTimes - 2 }, () => 300))
  })

  it('is looked at once a second where the run is of a former release', async () => {
    const { missingAgainMs: _missingAgainMs, ...former } = policyWith(testPolicy)
    const { last } = await runWith(former, 3)
    expect(await pausesOf(last)).to.deep.equal([1_000])
  })
  it('continues as new where that goes on for long', async () => {
    const historyEvents = 24
    const { first, last } = await runWith(policyWith({ ...testPolicy, historyEvents }), 8)
    const { runId, historyLength } = await last.describe()
    expect(runId).not.to.equal(first)
    expect(historyLength).to.be.below(2 * historyEvents)
  })
})
