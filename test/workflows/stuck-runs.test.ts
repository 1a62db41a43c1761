/**
 * Runs whose workflow tasks fail again and again, because their history does not fit the code or the code has a fault,
 * are terminated and opened anew without an operator.
 */
import { randomUUID } from 'node:crypto'
import type { CoreV1Event } from '@kubernetes/client-node'
import type { WorkflowExecutionInfo } from '@temporalio/client'
import { expect } from 'chai'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { standardPolicy } from '../../durable/policy.ts'
import { deliveryId, gitPushId, workflowId } from '../../durable/ids.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { editSpec } from '../../records/apps/edit-app.ts'
import { createPushes } from '../../temporal/client/pushes.ts'
import { eventually } from '../cluster/eventually.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { oneTimerMore, otherRelease } from '../harness/other-release.ts'
import {
  createApp,
  createProject,
  deploy,
  wakeWith,
  type TestRecords,
  until,
  untilState,
  useWakes,
  useRecords,
} from '../harness/records.ts'
import { useClient } from '../harness/temporal-client.ts'
import { startTestWorker, testPolicy, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { deliver, deliveryOf, received, hookOf, noticeOf, untilTried } from './delivery-world.ts'
import type { TestReceiver } from '../outside/webhooks/receiver.ts'
import { callsOf, describeSchedule, runningWith, runNow, startCopies, triggerOf, untilRuns } from './schedule-world.ts'
import { attemptIn, untilSetUp } from './service-world.ts'

const policy = {
  runLookMs: 300,
  workflowTaskMs: 1_000,
  longWorkflowTaskMs: 20_000,
  attemptMs: 60_000,
  webhookRetryMaxMs: 1_000,
}
const waitMs = 60_000
const broken = `throw new TypeError('this release is broken')`
/** Each workflow task begins with it: as on a machine that has more to do than it can. */
const slow = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)`

describe('a run that fails again and again', function () {
  this.timeout(180_000)
  let records: TestRecords
  let project: Project
  let worker: TestWorker | undefined
  let copies: TestReceiver
  let env: Record<string, string>

  /** Replaces the worker by one of another release, or of this one. */
  const runAs = async (step?: string): Promise<void> => {
    await worker?.stop('SIGKILL')
    const bundle = step === undefined ? {} : { SVC_WORKFLOW_BUNDLE: await otherRelease(step) }
    worker = await startTestWorker(policy, 'temporal/main.ts', { ...env, ...bundle })
  }

  before(async () => {
    records = await useRecords()
    await withoutWorker()
    // Each task of a run that another file left would take the slow release 1.5 s of the one thread that it has.
    await forgetRecords()
    wakeWith({ ...testPolicy, ...policy })
    ;({ copies, env } = await startCopies())
    await runAs()
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(async () => {
    wakeWith(testPolicy)
    await worker?.stop()
  })

  /** The runs of the service, the newest first. */
  const runsOf = async ({ metadata: { name } }: App): Promise<WorkflowExecutionInfo[]> => {
    const { workflow } = await useClient()
    const runs = []
    for await (const run of workflow.list({ query: `WorkflowId = "${workflowId('app', name)}"` })) runs.push(run)
    return runs
  }

  /** The reasons with which svc terminated runs, the oldest first. */
  const reasonsOf = async (app: App): Promise<string[]> => {
    const { workflow } = await useClient()
    const ended = (await runsOf(app)).filter(({ status }) => status.name === 'TERMINATED').toReversed()
    return await Promise.all(
      ended.map(async ({ workflowId: id, runId }) => {
        const { events } = await workflow.getHandle(id, runId).fetchHistory()
        return events?.at(-1)?.workflowExecutionTerminatedEventAttributes?.reason ?? ''
      }),
    )
  }

  const eventsOf = async ({ metadata: { uid = '' } }: App): Promise<string[]> => {
    const { items } = await records.client.list<Sent<CoreV1Event>>(coreTypes.event, {
      namespace: systemNamespace,
      fieldSelector: `involvedObject.uid=${uid}`,
    })
    return items.filter(({ reason }) => reason === 'RunEnded').map(({ message = '' }) => message)
  }

  /** Deploys an image that cannot be pulled, so that the run waits. */
  const waiting = async (): Promise<App> => {
    const app = await createApp(records, project, { image: 'does-not-exist:1' })
    await deploy(records, app)
    await until(records.apps, app, (seen) => seen?.status?.lastAttempt?.phase === 'Running', 'accepted')
    return app
  }

  const deployAnother = async ({ metadata: { name } }: App): Promise<App> => {
    const app = await editSpec(records, name, ({ spec }) => ({ ...spec, source: { image: { image: 'svc/hello:1' } } }))
    return await deploy(records, app)
  }

  it('since another release opened it is ended and opened anew, says so on its record, and its service goes on', async () => {
    await runAs(oneTimerMore)
    const app = await waiting()
    await runAs()
    await eventually('its run is ended', async () => (await reasonsOf(app)).length > 0, waitMs)
    const accepted = await deployAnother(app)
    await untilState(records, app, 'ready', attemptIn(accepted))
    const reasons = await reasonsOf(app)
    expect(reasons).to.have.length(1)
    // On a busy machine the first task of the new release may end by its time before it has failed.
    expect(reasons[0]).to.match(
      /^svc 0\.1\.0-[0-9a-f]{12}: its workflow task (failed \d+ times in a row \(NON_DETERMINISTIC_ERROR: .*\)|was not answered \d+ times in a row by the release that it moves to); ended, to be opened anew$/,
    )
    await eventually('the Event is there', async () => (await eventsOf(app)).length > 0)
    expect(await eventsOf(app)).to.deep.equal(reasons)
  })

  it('is ended as soon when its worker was killed in the middle of a task and no failure was reported', async () => {
    await runAs(oneTimerMore)
    const app = await waiting()
    const wakes = await useWakes()
    // Its polls are open, so it is given tasks that it never answers, the first of the row among them.
    process.kill(worker?.pid ?? 0, 'SIGSTOP')
    wakes.wake('app', app.metadata.name, { reason: 'again' })
    const { workflow } = await useClient()
    const attempt = async (): Promise<number> => {
      const { raw } = await workflow.getHandle(workflowId('app', app.metadata.name)).describe()
      return raw.pendingWorkflowTask?.attempt ?? 0
    }
    await eventually('a first task was not answered', async () => (await attempt()) > 1, waitMs)
    await runAs()
    await eventually('its run is ended', async () => (await reasonsOf(app)).length > 0, waitMs)
    expect((await reasonsOf(app))[0]).to.match(
      /: its workflow task was not answered \d+ times in a row by the release that it moves to; ended, to be opened anew$/,
    )
    const accepted = await deployAnother(app)
    await untilState(records, app, 'ready', attemptIn(accepted))
  })

  it('under a broken release is ended less and less often, and goes on under the next release', async () => {
    await runAs(broken)
    const app = await createApp(records, project)
    const accepted = await deploy(records, app)
    const wakes = await useWakes()
    // Each wake makes a workflow task that fails at once; without wakes the pauses between tasks double.
    const insisting = setInterval(() => wakes.wake('app', app.metadata.name, { reason: 'again' }), 200)
    try {
      await eventually('ended three times', async () => (await reasonsOf(app)).length >= 3, waitMs)
    } finally {
      clearInterval(insisting)
    }
    const counts = (await reasonsOf(app)).map((reason) => Number(/failed (\d+) times/.exec(reason)?.[1]))
    expect(counts[0]).to.be.at.least(3)
    expect(counts[1]).to.be.at.least(6)
    expect(counts[2]).to.be.at.least(9)
    await runAs()
    await untilState(records, app, 'ready', attemptIn(accepted))
  })

  it('whose tasks take longer than they may is opened with more time for them, and comes to its end', async () => {
    await runAs(slow)
    const app = await createApp(records, project)
    const accepted = await deploy(records, app)
    const wakes = await useWakes()
    const { workflow } = await useClient()
    const hasMoreTime = async (): Promise<boolean> => {
      const [newest] = await runsOf(app) // none where the wake has not arrived yet
      if (newest === undefined) return false
      const { raw } = await workflow.getHandle(newest.workflowId, newest.runId).describe()
      return Number(raw.executionConfig?.defaultWorkflowTaskTimeout?.seconds) === policy.longWorkflowTaskMs / 1000
    }
    const insisting = setInterval(() => wakes.wake('app', app.metadata.name, { reason: 'again' }), 200)
    try {
      await eventually('its run has more time', hasMoreTime, waitMs)
    } finally {
      clearInterval(insisting)
    }
    expect((await reasonsOf(app))[0]).to.match(/its workflow task was not answered \d+ times in a row/)
    await untilState(records, app, 'ready', attemptIn(accepted))
  })

  it('of a schedule is reported as unknown and sent once, and the next one runs', async () => {
    await runAs(oneTimerMore)
    const app = await runningWith(records, project, triggerOf('cut'))
    copies.answer(() => void process.kill(worker?.pid ?? 0, 'SIGKILL'))
    await runNow(app, 'cut')
    await eventually('it arrived', async () => callsOf(copies, app).length > 0, waitMs)
    await runAs()
    copies.answer((response) => void response.writeHead(204).end())
    const [run] = await untilRuns(records, app, 'cut', 1, waitMs)
    expect(run).to.deep.include({
      phase: 'Unknown',
      message: 'svc ended its run, which failed again and again: whether it ran is not known',
    })
    await eventually(
      'it is ended',
      async () => ((await describeSchedule(app, 'cut'))?.info.runningActions ?? []).length === 0,
      waitMs,
    )
    await runNow(app, 'cut')
    const [first, next] = await untilRuns(records, app, 'cut', 2, waitMs)
    expect(first?.id, 'each run is reported once').to.equal(run?.id)
    expect(next?.phase, 'the run after that').to.equal('Succeeded')
    expect(callsOf(copies, app)).to.have.length(2)
  })

  it('of a push is begun again in place, and is worked off', async () => {
    await runAs('await sleep(8_000)')
    const [app, delivery] = ['gone', randomUUID()]
    const push = { branch: 'main', isDefaultBranch: true, commit: 'c'.repeat(40) }
    const client = await useClient()
    const pushes = createPushes({ client, policy: { ...standardPolicy, ...testPolicy, ...policy }, searchable: false })
    await pushes.startGit({ app, delivery, uid: randomUUID(), push })
    const handle = client.workflow.getHandle(gitPushId(app, delivery))
    const waits = async () =>
      ((await handle.fetchHistory()).events ?? []).some(
        ({ timerStartedEventAttributes }) => timerStartedEventAttributes,
      )
    await eventually('it waits', waits, waitMs)
    await runAs()
    await eventually('it is begun again', async () => (await handle.describe()).status.name === 'COMPLETED', waitMs)
    expect(await handle.result()).to.deep.equal({ outcome: 'ignored', message: 'the service is gone' })
  })

  it('with a webhook to deliver is begun again in place, and delivers', async () => {
    await runAs(oneTimerMore)
    const hook = await hookOf(records, project)
    hook.receiver.answer((response) => void response.writeHead(500).end())
    const notice = noticeOf(project, 'stuck')
    await deliver(hook, notice, policy)
    await untilTried(hook, notice.deployment.id, notice.event, 1)
    await runAs()
    hook.receiver.answer((response) => void response.writeHead(204).end())
    const isDelivered = async () =>
      (await deliveryOf(hook, notice.deployment.id, notice.event))?.status.name === 'COMPLETED'
    await eventually('delivered', isDelivered, waitMs)
    const ofNotice = received(hook).filter(({ data }) => data.deployment['id'] === notice.deployment.id)
    expect(new Set(ofNotice.map(({ id }) => id)).size, 'it is one message, whatever was repeated').to.equal(1)
    const { workflow } = await useClient()
    const begun = []
    for await (const { status } of workflow.list({
      query: `WorkflowId = "${deliveryId(hook.id, notice.deployment.id, notice.event)}"`,
    }))
      begun.push(status.name)
    expect(begun.toSorted()).to.deep.equal(['COMPLETED', 'TERMINATED'])
  })
})
