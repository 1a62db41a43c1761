/** Schedules of functions on real servers: they follow the release that runs, and each run calls it at most once. */
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { appState } from '../../kinds/apps/state.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { functionRunsName } from '../../kinds/apps/names.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { installSleepKinds } from '../harness/keda/install.ts'
import { createApp, createProject, type TestRecords, untilGone, untilState, useRecords } from '../harness/records.ts'
import { resyncUntil } from '../harness/resync.ts'
import { useClient } from '../harness/temporal-client.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import type { TestReceiver } from '../outside/webhooks/receiver.ts'
import {
  callsOf,
  deployed,
  describeSchedule,
  historyOf,
  runNow,
  runningWith,
  startCopies,
  triggerOf,
  untilInRun,
  untilRuns,
  untilSchedule,
  withTriggers,
} from './schedule-world.ts'
import { edit, untilSetUp } from './service-world.ts'
import { createSleeper, sleepReader } from './sleep-world.ts'

const secret = 'a-payload-nobody-else-may-read'

describe('a schedule of a function', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let worker: TestWorker
  let copies: TestReceiver
  let everyMinute: App

  before(async function () {
    this.timeout(180_000)
    await withoutWorker()
    const started = await startCopies()
    copies = started.copies
    worker = await startTestWorker({ callMs: 20_000 }, undefined, {
      ...started.env,
      SVC_SLEEP_INTERCEPTOR: `127.0.0.1:${copies.port}`,
    })
    records = await useRecords()
    project = await createProject(records)
    await untilSetUp(records, project)
    everyMinute = await runningWith(records, project, triggerOf('tick', '* * * * *', { path: '/tick' }))
  })
  after(() => worker?.stop('SIGKILL'))
  afterEach(() => copies.answer((response) => void response.writeHead(204).end()))

  const namesIn = async (app: App) => (await records.apps.readLive(app.metadata.name))?.status?.schedules

  it('starts with the deploy, and one POST with its payload says whose and when it is', async () => {
    const app = await createApp(
      records,
      project,
      withTriggers(triggerOf('nightly', '0 3 * * *', { path: '/jobs?all=1', payload: `{"key":"${secret}"}` })),
    )
    expect(await describeSchedule(app, 'nightly')).to.equal(undefined)
    await deployed(records, app)
    const found = await untilSchedule(app, 'nightly', (it) => it !== undefined, 'is there')
    expect(found?.policies).to.deep.include({ overlap: 'SKIP', catchupWindow: 3_600_000 })
    expect(found?.info.nextActionTimes[0]?.toISOString()).to.match(/T03:00:00.000Z$/)
    expect(JSON.stringify(found?.action)).not.to.include(secret)

    await runNow(app, 'nightly')
    const [run] = await untilRuns(records, app, 'nightly', 1)
    expect(run).to.deep.include({ phase: 'Succeeded', status: 204, message: 'answered 204' })
    const calls = callsOf(copies, app)
    expect(calls).to.have.length(1)
    expect(calls[0]).to.deep.include({ method: 'POST', path: '/jobs?all=1', body: `{"key":"${secret}"}` })
    expect(calls[0]?.headers).to.deep.include({
      'ce-specversion': '1.0',
      'ce-type': 'dev.svc.schedule',
      'ce-source': `/apps/${app.metadata.name}/schedules/nightly`,
      'ce-id': run?.id,
      'ce-time': run?.planned,
      'content-type': 'application/json',
    })
    expect(await historyOf(run))
      .to.include('answered 204')
      .and.not.to.include(secret)
  })

  it('runs at its minutes by itself', async () => {
    const aMinuteAndMore = 80_000
    const [run] = await untilRuns(records, everyMinute, 'tick', 1, aMinuteAndMore)
    expect(run?.planned).to.match(/:00\.000Z$/)
    expect(run?.phase).to.equal('Succeeded')
    expect(callsOf(copies, everyMinute)[0]).to.deep.include({ path: '/tick', body: '' })
  })

  it('changes with a deploy and not before, and rests while nothing is deployed', async () => {
    const app = await runningWith(records, project, triggerOf('old'), triggerOf('kept'))
    await untilSchedule(app, 'old', (it) => it !== undefined, 'is there')
    await edit(records, app, () => withTriggers(triggerOf('kept', '@hourly'), triggerOf('never', '0 0 30 2 *')))
    expect((await describeSchedule(app, 'kept'))?.state.note).to.include('0 3 * * *')
    await deployed(records, app)
    await untilSchedule(app, 'kept', (it) => it?.state.note?.startsWith('@hourly of release') === true, 'is hourly')
    await untilSchedule(app, 'old', (it) => it === undefined, 'is gone')
    expect(await describeSchedule(app, 'never'), 'a date that never comes').to.equal(undefined)
    await eventually('one name', async () => (await namesIn(app))?.join() === 'kept', 20_000)

    const enabled = (on: boolean) => edit(records, app, ({ deploy }) => ({ deploy: { ...deploy, enabled: on } }))
    await enabled(false)
    await untilSchedule(app, 'kept', (it) => it?.state.paused === true, 'rests')
    await untilState(records, app, 'draft')
    await deployed(records, app)
    await untilSchedule(app, 'kept', (it) => it?.state.paused === false, 'runs again')

    await runNow(app, 'kept')
    await untilRuns(records, app, 'kept', 1)
    await records.client.delete({ type: resourceTypes.app, namespace: systemNamespace, name: app.metadata.name })
    await untilGone(records, app)
    expect(await describeSchedule(app, 'kept')).to.equal(undefined)
    const runs = { type: coreTypes.configMap, namespace: systemNamespace, name: functionRunsName(app.metadata.name) }
    expect(await records.client.get(runs)).to.equal(undefined)
  })

  it('that was removed or changed at Temporal itself is made again by the resync', async () => {
    const app = await runningWith(records, project, triggerOf('lost'), triggerOf('paused'))
    await untilSchedule(app, 'paused', (it) => it !== undefined, 'is there')
    const { schedule } = await useClient()
    await schedule.getHandle(`function/${app.metadata.name}/lost`).delete()
    await schedule.getHandle(`function/${app.metadata.name}/paused`).pause()
    await schedule.create({
      scheduleId: `function/${app.metadata.name}/of-nobody`,
      spec: { calendars: [{ hour: 1 }] },
      action: { type: 'startWorkflow', workflowType: 'scheduleRun', taskQueue: 'none' },
    })
    const find = (trigger: string) => describeSchedule(app, trigger)
    await resyncUntil('a schedule made again', async () => (await find('lost')) !== undefined)
    await resyncUntil('a schedule that runs again', async () => (await find('paused'))?.state.paused === false)
    await resyncUntil('a schedule of nothing removed', async () => (await find('of-nobody')) === undefined)
  })

  it('fails a run whose answer is an error, and says its first line, which no history has', async () => {
    const app = await runningWith(records, project, triggerOf('failing'))
    copies.answer((response) => void response.writeHead(503).end('\nthe queue is full\nand more\n'))
    await runNow(app, 'failing')
    const [run] = await untilRuns(records, app, 'failing', 1)
    expect(run).to.deep.include({ phase: 'Failed', status: 503, message: 'answered 503: the queue is full' })
    expect(await historyOf(run))
      .to.include('RunFailed')
      .and.not.to.include('the queue is full')
    expect(callsOf(copies, app)).to.have.length(1)
  })

  it('that fails three times in a row is said of its service, which stays ready, until a run succeeds', async () => {
    const app = await runningWith(records, project, triggerOf('again'))
    const stateIs = async (message: string) => {
      const seen = await records.apps.readLive(app.metadata.name)
      return seen !== undefined && canonical(appState(seen)) === canonical({ state: 'ready', message })
    }
    copies.answer((response) => void response.writeHead(500).end())
    for (const count of [1, 2, 3]) {
      expect(await stateIs('')).to.equal(true)
      await runNow(app, 'again')
      await historyOf((await untilRuns(records, app, 'again', count)).at(-1))
    }
    await eventually('its message', () => stateIs('1 schedule failed 3 times in a row or more'))
    copies.answer((response) => void response.writeHead(204).end())
    await runNow(app, 'again')
    await untilRuns(records, app, 'again', 4)
    await eventually('no message', () => stateIs(''))
  })

  it('calls a function that may sleep by its host, through what wakes it', async () => {
    const uninstall = await installSleepKinds(records.client)
    try {
      const app = await deployed(records, await createSleeper(records, project, withTriggers(triggerOf('woken'))))
      await sleepReader(records, app).untilSays(true)
      await runNow(app, 'woken')
      const [run] = await untilRuns(records, app, 'woken', 1)
      expect(run?.phase).to.equal('Succeeded')
      const { host } = app.spec.ingress
      expect(copies.received.filter(({ headers }) => headers.host === host)).to.have.length(1)
    } finally {
      await uninstall()
    }
  })

  it('fails a run whose release is not on record any more', async () => {
    const app = await runningWith(records, project, triggerOf('forgotten'))
    const name = app.status?.release ?? ''
    await records.client.delete({ type: resourceTypes.deployment, namespace: systemNamespace, name })
    await runNow(app, 'forgotten')
    const [run] = await untilRuns(records, app, 'forgotten', 1)
    expect(run?.phase).to.equal('Failed')
    expect(run?.message).to.equal('the record of its release is not kept any more: deploy the service again')
    expect(callsOf(copies, app)).to.deep.equal([])
  })

  it('fails a run whose release kubectl made unreadable, and says why', async () => {
    const app = await runningWith(records, project, triggerOf('unreadable'))
    const name = app.status?.release ?? ''
    const metadata = { annotations: { [annotations.releaseSpec]: '' } }
    await records.client.patch({ type: resourceTypes.deployment, namespace: systemNamespace, name }, { metadata })
    await runNow(app, 'unreadable')
    const [run] = await untilRuns(records, app, 'unreadable', 1)
    expect(run?.phase).to.equal('Failed')
    expect(run?.message).to.equal(
      'the annotation svc.dev/release-spec cannot be read: it is no JSON: deploy the service again',
    )
    expect(callsOf(copies, app)).to.deep.equal([])
  })

  it('tries again while no connection can be made, and sends one request', async () => {
    const app = await runningWith(records, project, triggerOf('patient'))
    await copies.stop()
    try {
      await runNow(app, 'patient')
      await untilInRun(app, 'patient', 'ECONNREFUSED')
    } finally {
      await copies.listen()
    }
    const [run] = await untilRuns(records, app, 'patient', 1)
    expect(run?.phase).to.equal('Succeeded')
    expect(callsOf(copies, app)).to.have.length(1)
  })

  it('fails a run that found no connection in its time', async () => {
    const app = await runningWith(records, project, triggerOf('unreachable'))
    await copies.stop()
    try {
      await runNow(app, 'unreachable')
      const [run] = await untilRuns(records, app, 'unreachable', 1)
      expect(run).to.deep.include({ phase: 'Failed', message: 'no connection to the function: ECONNREFUSED' })
    } finally {
      await copies.listen()
    }
  })

  it('sends nothing twice where the connection is lost, and says that it is not known', async () => {
    const app = await runningWith(records, project, triggerOf('cut'))
    copies.answer((response) => void response.destroy())
    await runNow(app, 'cut')
    const [run] = await untilRuns(records, app, 'cut', 1)
    expect(run?.phase).to.equal('Unknown')
    expect(run?.message).to.match(/^the connection was lost before an answer came: /)
    expect(callsOf(copies, app)).to.have.length(1)
  })

  it('waits for no answer beyond the time of a call', async () => {
    const app = await runningWith(records, project, triggerOf('slow'))
    copies.answer(() => undefined)
    await runNow(app, 'slow')
    const [run] = await untilRuns(records, app, 'slow', 1)
    expect(run).to.deep.include({ phase: 'Unknown', message: 'the function did not answer within 20 seconds' })
    expect(callsOf(copies, app)).to.have.length(1)
  })
})
