/**
 * A wake-up that comes while the last pass of a run goes on: the run looks at the record again before it ends. And one
 * that opens a run at rest: whatever it is about is checked. The worker is one of the test, whose activities answer
 * from a list, so that the moment of the wake-up is certain.
 */
import { Context } from '@temporalio/activity'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { expect } from 'chai'
import { workflowId, workflowType } from '../../durable/ids.ts'
import { attributesOf, noAttempt, type ReconcileInput, wakeSignal } from '../../durable/messages.ts'
import { policyWith } from '../../durable/policy.ts'
import { controlQueue } from '../../durable/queues.ts'
import { type Plan, restingPlan } from '../../kinds/apps/deploy/plan.ts'
import type { BuildPlan } from '../../kinds/builds/plan.ts'
import type { ProjectPlan } from '../../kinds/projects/intent.ts'
import { isVersioned } from '../../temporal/releases/keep-current.ts'
import { workflowBundle } from '../../temporal/releases/workflow-bundle.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import { useStack } from '../harness/stack.ts'
import { useClient } from '../harness/temporal-client.ts'
import { testPolicy, withoutWorker } from '../harness/worker.ts'

const policy = policyWith(testPolicy)
const answering = [
  'readBuildPlan',
  'passBuild',
  'readProjectPlan',
  'settleProject',
  'startService',
  'adoptEdit',
  'prepareServiceInTask',
  'lookAtService',
]

describe('a wake-up in the last pass of a run', function () {
  this.timeout(60_000)
  let worker: Worker
  let running: Promise<void>
  const calls: string[] = []
  /** What each call was given. */
  const inputs: unknown[] = []
  let answers: Record<string, () => Promise<unknown>> = {}

  /** The workflow that the test plays; runs that suites before left open come to this worker as well. */
  let played = ''
  const answered = (name: string) => async (input: unknown) => {
    const { workflowId: id } = Context.current().info.workflowExecution ?? {}
    if (id !== played) throw new Error(`${id} is of another suite`)
    calls.push(name)
    inputs.push(input)
    return answers[name]?.()
  }

  before(async () => {
    await withoutWorker()
    const { temporalAddress, temporalNamespace } = await useStack()
    const client = await useClient()
    // Without a version, so that the work goes to no release of an earlier test.
    await isVersioned({ client, mode: 'off', log: silentLog })
    Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('WARN', ({ message }) => console.error(message)) })
    worker = await Worker.create({
      connection: await NativeConnection.connect({ address: temporalAddress }),
      namespace: temporalNamespace,
      taskQueue: controlQueue,
      workflowBundle: { codePath: await workflowBundle() },
      activities: Object.fromEntries(answering.map((name) => [name, answered(name)])),
    })
    running = worker.run()
  })
  after(async () => {
    worker?.shutdown()
    await running
  })
  afterEach(() => {
    calls.splice(0)
    inputs.splice(0)
  })

  /** Runs the workflow of a record to its end; `wakeNow` is what the watch does. */
  async function run(
    kind: 'build' | 'project' | 'app',
    name: string,
    play: (wakeNow: () => Promise<void>) => typeof answers,
    more: Partial<ReconcileInput> = {},
  ) {
    const { workflow } = await useClient()
    const id = workflowId(kind, name)
    played = id
    const wakeNow = () => workflow.getHandle(id).signal(wakeSignal, { reason: 'the record is being deleted' })
    answers = play(wakeNow)
    const input: ReconcileInput = { name, policy, searchable: false, ...more }
    const handle = await workflow.start(workflowType(kind), { workflowId: id, taskQueue: controlQueue, args: [input] })
    await handle.result()
  }

  it('has a build that is being deleted removed', async () => {
    const name = 'woken-build'
    const plan = (action: BuildPlan['action']): BuildPlan => ({
      ...{ action, name, uid: 'uid-of-build', attempt: '', project: 'p', environment: 'e' },
    })
    const plans = [plan('clean'), plan('remove')]
    const passed = [plan('rest'), plan('rest')]
    await run('build', name, (wakeNow) => ({
      readBuildPlan: () => Promise.resolve(plans.shift() ?? plan('rest')),
      passBuild: async () => {
        if (passed.length === 2) await wakeNow()
        return { outcome: 'done', message: '', plan: passed.shift() }
      },
    }))
    expect(calls).to.deep.equal(['readBuildPlan', 'passBuild', 'readBuildPlan', 'passBuild'])
  })

  it('has a project set up that got the name of one that is gone', async () => {
    const name = 'proj-0fade001'
    const plan = (story: ProjectPlan['story'], uid: string): ProjectPlan => ({ story, name, uid, intent: uid })
    const plans = [plan('settle', 'first'), plan('settle', 'second')]
    const restPlans = [plan('rest', ''), plan('rest', 'second'), plan('rest', 'second')]
    await run('project', name, (wakeNow) => ({
      readProjectPlan: () => Promise.resolve(plans.shift() ?? plan('rest', 'second')),
      settleProject: async () => {
        if (restPlans.length === 3) await wakeNow()
        return { outcome: 'done', message: '', plan: restPlans.shift() }
      },
    }))
    expect(calls).to.deep.equal(['readProjectPlan', 'settleProject', 'readProjectPlan', 'settleProject'])
  })

  it('has all checked of a service whose last attempt the run has not seen the end of, in one look', async () => {
    const name = 'woken-service'
    const plan: Plan = { ...restingPlan(name), uid: 'uid-of-service', attempt: 'woken-service-aaaaa', intent: 'i' }
    await run(
      'app',
      name,
      () => ({
        startService: () => Promise.resolve({ plan }),
        lookAtService: () => Promise.resolve({ outcome: 'ended', failure: '', plan }),
      }),
      { attributes: attributesOf(plan) },
    )
    expect(calls).to.deep.equal(['startService', 'lookAtService'])
    expect(inputs.at(-1)).to.include({ attempt: noAttempt, ended: plan.attempt })
  })

  it('has all checked of a service whose attempt was ended by a pass that the run has not seen', async () => {
    const name = 'ended-service'
    const plan: Plan = { ...restingPlan(name), uid: 'uid-of-service', attempt: 'ended-service-aaaaa', intent: 'i' }
    await run('app', name, () => ({
      startService: () => Promise.resolve({ plan: { ...plan, story: 'adopt' } }),
      adoptEdit: () => Promise.resolve({ ...plan, story: 'deploy' }),
      // As it finds the record where the worker of the pass before died, and its task with it.
      prepareServiceInTask: () => Promise.resolve({ outcome: 'changed', plan }),
      lookAtService: () => Promise.resolve({ outcome: 'ended', failure: '', plan }),
    }))
    expect(calls).to.deep.equal(['startService', 'adoptEdit', 'prepareServiceInTask', 'lookAtService'])
    expect(inputs.at(-1)).to.include({ attempt: noAttempt, ended: plan.attempt })
  })
})
