/**
 * Entries of the policy where workflows and pollers use them (docs/reference/limits.md). Every entry has a value of its
 * own, so that one used in the place of another shows. Held here: activityMs, localMs, retryMs, retryMaxMs, stickyMs,
 * webhookTryMs, webhookRetryMs, webhookRetryMaxMs, callRetryMs, callHeartbeatMs, heartbeatMs and resyncPartMs. Entries
 * that no workflow reads are in test/temporal/policy-in-use.test.ts.
 */
import { Context } from '@temporalio/activity'
import { optionalTsToMs } from '@temporalio/common/lib/time.js'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { expect } from 'chai'
import type { Called } from '../../activities/functions/messages.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import { reportSignal, wakeSignal } from '../../durable/messages.ts'
import { type Policy, policyWith, standardPolicy } from '../../durable/policy.ts'
import { controlQueue, functionQueue } from '../../durable/queues.ts'
import { valueOf } from '../../temporal/client/run-steps.ts'
import { isVersioned } from '../../temporal/releases/keep-current.ts'
import { workflowBundle } from '../../temporal/releases/workflow-bundle.ts'
import * as workflows from '../../workflows/index.ts'
import { eventually } from '../cluster/eventually.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { createProject, useRecords } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { useClient } from '../harness/temporal-client.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import {
  eventsOf,
  type HistoryEvent,
  type Limited,
  limitsOf,
  limitsOfThis,
  present,
  scheduledIn,
  stickyWaits,
} from './activity-limits.ts'
import { deliver, deliveryOf, hookOf, noticeOf, untilTried } from './delivery-world.ts'

const name = 'policy-in-use'
const waitMs = 30_000

/** No two entries are the same, and none is a default of Temporal, which cuts a heartbeat to the limit of its try. */
const policy: Policy = policyWith({
  ...Object.fromEntries(Object.keys(standardPolicy).map((entry, place) => [entry, 30_000 + 1_009 * place])),
  heartbeatMs: 7_707,
  callHeartbeatMs: 8_808,
  webhookGiveUpMs: 900_009,
  // Waits of the run of a schedule take as long as these say.
  retryMs: 110,
  retryMaxMs: 130,
  callRetryMs: 45,
})
const { localMs: _localMs, ...formerPolicy } = policy

const retryMs = [policy.retryMs, policy.retryMaxMs]
const inTask = (activity: string): Limited => ({ activity, tryMs: policy.localMs, retryMs: [] })
const read = (activity: string): Limited => ({ activity, tryMs: policy.activityMs, retryMs })
const called = (activity: string, options: Partial<Limited> = {}): Limited => ({
  ...{ activity, tryMs: policy.activityMs, heartbeatMs: policy.heartbeatMs, retryMs },
  ...options,
})
const webhookRetryMs = [policy.webhookRetryMs, policy.webhookRetryMaxMs]

interface Row {
  title: string
  workflow: Exclude<keyof typeof workflows, 'scheduleRun'>
  input?: object
  signal?: string
  /** What runs within the first workflow task. */
  local?: Limited[]
  /** What Temporal is to run after it. */
  scheduled: Limited[]
}

const provisioned = (workflow: Row['workflow'], plan: string, first: string): Row => ({
  ...{ title: workflow, workflow, local: [read(plan)], scheduled: [called(first)] },
})

const rows: readonly Row[] = [
  // Its local pass fails here.
  { title: 'service', workflow: 'service', local: [inTask('startService')], scheduled: [called('startService')] },
  {
    title: 'service of a former release that deploys',
    workflow: 'service',
    input: { name: 'deploy', policy: formerPolicy },
    local: [read('readServicePlan')],
    scheduled: [called('prepareService')],
  },
  {
    title: 'service of a former release that rests',
    workflow: 'service',
    input: { name: 'rest', policy: formerPolicy },
    local: [read('readServicePlan')],
    scheduled: [called('lookAtService')],
  },
  {
    title: 'project',
    workflow: 'project',
    local: [read('readProjectPlan')],
    scheduled: [called('settleProject')],
  },
  {
    title: 'platform',
    workflow: 'platform',
    local: [{ activity: 'readPlatformPlan', tryMs: policy.activityMs, retryMs: [1_000, 100_000] }],
    scheduled: [called('settleDns'), called('checkDomain')],
  },
  { title: 'build', workflow: 'build', local: [read('readBuildPlan')], scheduled: [called('passBuild')] },
  provisioned('database', 'readDatabasePlan', 'takeUpDatabase'),
  provisioned('logicalDatabase', 'readLogicalDatabasePlan', 'takeUpLogicalDatabase'),
  provisioned('objectStore', 'readStorePlan', 'takeUpStore'),
  provisioned('backup', 'readBackupPlan', 'takeUpBackup'),
  provisioned('cloudConnection', 'readConnectionPlan', 'takeUpConnection'),
  {
    title: 'resync',
    workflow: 'resync',
    scheduled: Array.from({ length: 6 }, () => called('wakeDue', { tryMs: policy.resyncPartMs })),
  },
  { title: 'gitHostPush', workflow: 'gitHostPush', scheduled: [called('deployPushed')] },
  { title: 'gitPush', workflow: 'gitPush', scheduled: [called('deployGitPushed')] },
  { title: 'pullRequest', workflow: 'pullRequest', scheduled: [called('passPullRequest')] },
  {
    title: 'gitHostReport',
    workflow: 'gitHostReport',
    signal: reportSignal,
    scheduled: [called('reportDeploy', { retryMs: webhookRetryMs })],
  },
  {
    title: 'webhookDelivery',
    workflow: 'webhookDelivery',
    scheduled: [called('deliverWebhook', { tryMs: policy.webhookTryMs + policy.activityMs, retryMs: webhookRetryMs })],
  },
]

const plan = { name, uid: 'uid', intent: 'intent', attempt: 'attempt', operation: 'deploy', startedAt: 0 }
const provisionPlan = { ...plan, story: 'provision', mends: false, variant: 'cluster' }
const plans: Readonly<Record<string, (input: { name: string }) => object>> = {
  startService: () => {
    throw new Error('it takes too long')
  },
  readServicePlan: ({ name: story }) => ({ ...plan, story }),
  prepareServiceInTask: () => ({}),
  lookAtService: () => ({}),
  readProjectPlan: () => ({ ...plan, story: 'settle' }),
  readPlatformPlan: () => ({ dns: true, domain: true }),
  readBuildPlan: () => ({ ...plan, action: 'build' }),
  readDatabasePlan: () => provisionPlan,
  readLogicalDatabasePlan: () => provisionPlan,
  readStorePlan: () => provisionPlan,
  readBackupPlan: () => provisionPlan,
  readConnectionPlan: () => provisionPlan,
}

describe('the policy of a run', function () {
  this.timeout(60_000)
  let connection: NativeConnection
  let workers: Worker[] = []
  let running: Promise<void>[]
  /** What ran within workflow tasks, by the id of the run's workflow. */
  const locals = new Map<string, Limited[]>()
  const calls: Called[] = []

  before(async function () {
    this.timeout(180_000) // the bundle may have to be made
    await withoutWorker()
    // Without a version, so that calls of functions go to no release of an earlier test.
    await isVersioned({ client: await useClient(), mode: 'off', log: silentLog })
    Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('ERROR') })
    const { temporalAddress, temporalNamespace: namespace } = await useStack()
    connection = await NativeConnection.connect({ address: temporalAddress })
    const answered = Object.entries(plans).map(([activity, planOf]) => {
      const answer = async (input: { name: string }) => {
        const { workflowId = '' } = Context.current().info.workflowExecution ?? {}
        locals.set(workflowId, [...(locals.get(workflowId) ?? []), limitsOfThis()])
        return planOf(input)
      }
      return [activity, answer] as const
    })
    workers = [
      // No activity but local ones is run: those that are scheduled wait.
      await Worker.create({
        ...{ connection, namespace, taskQueue: name, enableNonLocalActivities: false },
        workflowBundle: { codePath: await workflowBundle() },
        activities: Object.fromEntries(answered),
      }),
      await Worker.create({
        ...{ connection, namespace, taskQueue: functionQueue },
        activities: { callFunction: async () => calls.shift(), noteFunctionRun: async () => undefined },
      }),
    ]
    running = workers.map((worker) => worker.run())
  })
  after(async () => {
    for (const worker of workers) worker.shutdown()
    await Promise.all(running)
    await connection?.close()
  })

  for (const { title, workflow: type, input, signal, local = [], scheduled } of rows)
    it(`limits the first activities of ${title}`, async () => {
      const { workflow } = await useClient()
      const workflowId = `${name}/${title}`
      const args = [{ name, policy, searchable: false, report: {}, push: {}, notice: {}, ...input }]
      const options = { taskQueue: name, workflowId, args }
      const handle = await (signal === undefined
        ? workflow.start(type, options)
        : workflow.signalWithStart(type, { ...options, signal, signalArgs: [] }))
      try {
        let events: HistoryEvent[] = []
        const isScheduled = async () => scheduledIn((events = await eventsOf(workflowId))).length > 0
        await eventually(`an activity of ${title}`, isScheduled, waitMs)
        expect(scheduledIn(events).map(limitsOf)).to.deep.equal(scheduled)
        expect(locals.get(workflowId) ?? []).to.deep.equal(local)
        const dns = scheduledIn(events).find(({ activityType }) => activityType?.name === 'settleDns')
        if (dns !== undefined) expect(valueOf(dns.input?.payloads?.[0])).to.include({ passMs: policy.activityMs / 2 })
      } finally {
        await handle.terminate()
      }
    })

  it('limits the call of a function, and the pauses between two tries', async () => {
    const { workflow } = await useClient()
    const workflowId = `${name}/scheduleRun`
    const unsent: Called = { outcome: 'unsent', message: 'no connection' }
    const ended: Called = { outcome: 'ended', phase: 'Succeeded', message: 'answered 204', ms: 1, isNoted: false }
    calls.push(unsent, unsent, unsent, unsent, ended)
    const args = [{ app: name, trigger: 'tick', policy, searchable: false }]
    const handle = await workflow.start('scheduleRun', { taskQueue: name, workflowId, args })
    expect(await handle.result()).to.equal('answered 204')
    const events = await eventsOf(workflowId)
    const pauses = events.flatMap(({ timerStartedEventAttributes: timer }) => present(timer?.startToFireTimeout))
    const { callRetryMs, retryMaxMs, callHeartbeatMs: heartbeatMs } = policy
    expect(pauses.map(optionalTsToMs)).to.deep.equal([callRetryMs, 2 * callRetryMs, retryMaxMs, retryMaxMs])
    const call = called('callFunction', { tryMs: policy.callMs + policy.activityMs, heartbeatMs, retryMs: [] })
    expect(scheduledIn(events).map(limitsOf)).to.deep.equal([
      ...[call, call, call, call, call],
      called('noteFunctionRun', { heartbeatMs }),
    ])
  })

  it('is shown for every workflow', () =>
    expect([...new Set(rows.map(({ workflow }) => workflow)), 'scheduleRun'].toSorted()).to.deep.equal(
      Object.keys(workflows).toSorted(),
    ))
})

describe('the policy of a worker', function () {
  this.timeout(120_000)
  /** Far from the ten seconds for which the SDK lets a task wait for the worker that has its run in the cache. */
  const own = { webhookTryMs: 1_300, stickyMs: 2_600 }
  const soonMs = 9_000
  /** Temporal rounds times of events. */
  const roundedMs = 100
  let worker: TestWorker

  before(async () => {
    await withoutWorker()
    worker = await startTestWorker({ ...policy, ...own })
  })
  after(async () => {
    await worker?.stop('SIGKILL')
    await forgetRecords()
  })

  it('limits one try of a webhook', async () => {
    const records = await useRecords()
    const project = await createProject(records)
    const hook = await hookOf(records, project)
    hook.receiver.answer(() => undefined)
    const notice = noticeOf(project, name)
    await deliver(hook, notice, { webhookRetryMs: 60_000, webhookRetryMaxMs: 60_000 })
    await untilTried(hook, notice.deployment.id, notice.event, 1)
    const delivery = await deliveryOf(hook, notice.deployment.id, notice.event)
    expect(delivery?.raw.pendingActivities?.[0]?.lastFailure?.message).to.equal(
      `no answer within ${own.webhookTryMs / 1000} s`,
    )
  })

  it('lets a workflow task wait so long for a worker that was killed', async () => {
    const { workflow } = await useClient()
    const ids = [1, 2, 3].map((run) => `${name}/cached-${run}`)
    const isCached = async (id: string) =>
      (await eventsOf(id)).some((event) => present(event.workflowTaskCompletedEventAttributes).length > 0)
    for (const workflowId of ids) {
      const args = [{ policy, searchable: false }] // it waits for its first news
      await workflow.start('gitHostReport', { taskQueue: controlQueue, workflowId, args })
      await eventually(`${workflowId} is cached`, () => isCached(workflowId), waitMs)
    }
    await worker.stop('SIGKILL')
    try {
      for (const id of ids) await workflow.getHandle(id).signal(wakeSignal)
      // Temporal may have given the first tasks to polls of the dead worker that it still had.
      let waits: number[] = []
      const waited = async () => (waits = (await Promise.all(ids.map(eventsOf))).flatMap(stickyWaits)).length > 0
      await eventually('a task was taken from the dead worker', waited, soonMs)
      for (const wait of waits) expect(wait).to.be.within(own.stickyMs - roundedMs, soonMs)
    } finally {
      for (const id of ids) await workflow.getHandle(id).terminate()
    }
  })
})
