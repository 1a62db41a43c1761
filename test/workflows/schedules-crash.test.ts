/**
 * Workers that die while schedules are made, removed or run: each planned run reaches the function at most once, and
 * one whose end is not known is reported so.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { App } from '../../kinds/apps/kind.ts'
import { functionRunsName } from '../../kinds/apps/names.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import {
  createApp,
  createProject,
  deploy,
  type TestRecords,
  untilGone,
  untilState,
  useRecords,
  wakeWith,
} from '../harness/records.ts'
import { testPolicy, withoutWorker } from '../harness/worker.ts'
import { killPolicy, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { pointsOf } from '../kill/write-points.ts'
import type { TestReceiver } from '../outside/webhooks/receiver.ts'
import {
  callsOf,
  describeSchedule,
  runNow,
  runningWith,
  startCopies,
  triggerOf,
  untilInRun,
  untilRuns,
  untilSchedule,
  withTriggers,
} from './schedule-world.ts'
import { attemptIn, edit, untilSetUp } from './service-world.ts'

describe('a worker that dies', function () {
  this.timeout(180_000)
  let records: TestRecords
  let project: Project
  let worker: MortalProcess
  let copies: TestReceiver
  let env: Record<string, string>

  const start = async () => (worker = await startMortalWorker({}, undefined, env))

  before(async () => {
    records = await useRecords()
    await withoutWorker()
    wakeWith(killPolicy)
    ;({ copies, env } = await startCopies())
    await start()
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(async () => {
    wakeWith(testPolicy)
    await worker.kill()
  })
  afterEach(() => copies.answer((response) => void response.writeHead(204).end()))

  it('during the call of the function shows the run as unknown, and sends it once', async () => {
    const app = await runningWith(records, project, triggerOf('cut'))
    copies.answer(() => void worker.kill())
    await runNow(app, 'cut')
    await worker.gone
    copies.answer((response) => void response.writeHead(204).end())
    await start()
    const [run] = await untilRuns(records, app, 'cut', 1)
    expect(run).to.deep.include({
      phase: 'Unknown',
      message: 'its worker ended while the function was called: whether it ran is not known',
    })
    expect(callsOf(copies, app)).to.have.length(1)
    await runNow(app, 'cut')
    const [, next] = await untilRuns(records, app, 'cut', 2)
    expect(next?.phase, 'the run after that').to.equal('Succeeded')
  })

  for (const [when, phase] of [
    ['before', 'Unknown'],
    ['after', 'Succeeded'],
  ] as const)
    it(`${when} it recorded an answer shows the run as ${phase}, and sends it once`, async () => {
      const app = await runningWith(records, project, triggerOf('noted'))
      worker.arm({ when, write: 1, about: functionRunsName(app.metadata.name), holding: '' })
      await runNow(app, 'noted')
      await worker.gone
      await start()
      const [run] = await untilRuns(records, app, 'noted', 1)
      expect(run?.phase).to.equal(phase)
      expect(callsOf(copies, app)).to.have.length(1)
    })

  it('before a run that was planned meanwhile leaves it to be sent once, by the next', async () => {
    const app = await runningWith(records, project, triggerOf('late'))
    await worker.kill()
    await runNow(app, 'late')
    await start()
    const [run] = await untilRuns(records, app, 'late', 1)
    expect(run?.phase).to.equal('Succeeded')
    expect(callsOf(copies, app)).to.have.length(1)
  })

  it('and is missing for longer than a run may be late shows it as missed, and sends nothing', async () => {
    await worker.kill()
    worker = await startMortalWorker({ scheduleCatchUpMs: 500 }, undefined, env)
    const app = await runningWith(records, project, triggerOf('missed'))
    await worker.kill()
    await runNow(app, 'missed')
    await start() // takes longer than that
    const [run] = await untilRuns(records, app, 'missed', 1)
    expect(run).to.deep.include({ phase: 'Missed', message: 'no worker was there to run it in time' })
    expect(callsOf(copies, app)).to.deep.equal([])
  })

  it('between two tries to reach the function, for longer than a call may take, has nothing sent late', async () => {
    await worker.kill()
    worker = await startMortalWorker({ callMs: 4_000, callRetryMs: 2_000 }, undefined, env)
    const app = await runningWith(records, project, triggerOf('unreachable'))
    await copies.stop()
    try {
      await runNow(app, 'unreachable')
      await untilInRun(app, 'unreachable', 'ECONNREFUSED')
      await worker.kill()
      await sleep(4_000)
    } finally {
      await copies.listen()
    }
    await start()
    const [run] = await untilRuns(records, app, 'unreachable', 1)
    expect(run).to.deep.include({ phase: 'Failed', message: 'no connection to the function: ECONNREFUSED' })
    expect(callsOf(copies, app)).to.deep.equal([])
  })

  const areReconciled = async (app: App) => {
    await untilSchedule(app, 'gone', (found) => found === undefined, 'is gone')
    await untilSchedule(app, 'added', (found) => found?.state.paused === false, 'is there')
    await untilSchedule(app, 'kept', (found) => found?.state.note?.startsWith('@hourly') === true, 'is hourly')
    await eventually(
      'the names of the schedules',
      async () => (await records.apps.readLive(app.metadata.name))?.status?.schedules?.join() === 'kept,added',
      40_000,
    )
  }

  // The status that names them, the one that forgets what went, and the record that says that all was done.
  const deploying = pointsOf(
    [
      ['before', '"phase":"Succeeded"'],
      ['after', '"schedules":["kept","added"]'],
      ['before', '"phase":"Available"'],
    ] as const,
    [
      ['after', '"phase":"Succeeded"'],
      ['before', '"schedules":["kept","added"]'],
    ] as const,
  )
  for (const [when, holding] of deploying)
    it(`${when} it wrote ${holding} of a deploy leaves the schedules of that deploy`, async () => {
      const app = await runningWith(records, project, triggerOf('gone'), triggerOf('kept'))
      await untilSchedule(app, 'gone', (found) => found !== undefined, 'is there')
      await edit(records, app, () => withTriggers(triggerOf('kept', '@hourly'), triggerOf('added')))
      worker.arm({ when, write: 1, about: app.metadata.name, holding })
      const attempt = attemptIn(await deploy(records, app))
      await worker.gone
      await start()
      await untilState(records, app, 'ready', attempt)
      await areReconciled(app)
    })

  const deleting = pointsOf(
    [
      ['after', 1],
      ['after', 3],
    ] as const,
    [['before', 1] as const],
  )
  for (const [when, write] of deleting)
    it(`${when} write ${write} of a deletion leaves no schedule`, async () => {
      const app = await runningWith(records, project, triggerOf('last'))
      await untilSchedule(app, 'last', (found) => found !== undefined, 'is there')
      worker.arm({ when, write, about: app.metadata.name, holding: '' })
      await records.client.delete({ type: resourceTypes.app, namespace: systemNamespace, name: app.metadata.name })
      await worker.gone
      await start()
      await untilGone(records, app)
      expect(await describeSchedule(app, 'last')).to.equal(undefined)
    })

  it('between the end of a deploy and its schedules shows runs that were planned meanwhile as missed', async () => {
    const app = await createApp(records, project, withTriggers(triggerOf('minute', '* * * * *')))
    worker.arm({ when: 'after', write: 1, about: app.metadata.name, holding: '"phase":"Succeeded"' })
    await deploy(records, app)
    await worker.gone
    expect(await describeSchedule(app, 'minute')).to.equal(undefined)
    await records.client.patch<App>(
      { type: resourceTypes.app, namespace: systemNamespace, name: app.metadata.name },
      { status: { lastAttempt: { completedAt: new Date(Date.now() - 180_000).toISOString() } } },
      { subresource: 'status' },
    )
    await start()
    await untilSchedule(app, 'minute', (found) => found !== undefined, 'is there')
    await runNow(app, 'minute')
    const [missed, run] = await untilRuns(records, app, 'minute', 2)
    expect(missed).to.include({ phase: 'Missed', id: '' }).and.to.have.property('times').that.is.within(2, 4)
    expect(run?.phase).to.equal('Succeeded')
    expect(callsOf(copies, app).length).to.be.within(1, 2)
  })

  it('before it made anything of a first deploy leaves its schedules to the next', async () => {
    const app = await createApp(records, project, withTriggers(triggerOf('first')))
    worker.arm({ when: 'before', write: 1, about: app.metadata.name, holding: '' })
    const attempt = attemptIn(await deploy(records, app))
    await worker.gone
    await start()
    await untilState(records, app, 'ready', attempt)
    await untilSchedule(app, 'first', (found) => found !== undefined, 'is there')
  })
})
